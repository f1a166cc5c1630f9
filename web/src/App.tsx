import { useCallback, useEffect, useState } from "react";
import { Controller } from "./app/controller";
import { forgetAll, recall, remember } from "./app/memory";
import { go } from "./app/route";
import { credentialsFor, readPeople, type People } from "./app/session";
import { ControllerContext, ModelContext } from "./app/use";
import { SignIn } from "./SignIn";
import { Workspace } from "./Workspace";

const WHO = "who";
const NO_MODEL = { name: "", offline: false };

export function App() {
  const [who, setWho] = useState(() => recall(WHO));
  const { people, failed, again } = usePeople();

  const signIn = (as: string) => {
    remember(WHO, as);
    setWho(as);
  };
  const signOut = () => {
    forgetAll();
    go(null, { replace: true });
    setWho(null);
  };

  if (!who) return <SignIn people={people} failed={failed} onAgain={again} onChoose={signIn} />;
  return (
    <ModelContext value={people?.model ?? NO_MODEL}>
      <Session key={who} who={who} onSignOut={signOut} />
    </ModelContext>
  );
}

function usePeople() {
  const [people, setPeople] = useState<People | null>(null);
  const [failed, setFailed] = useState(false);
  const load = useCallback(() => {
    readPeople().then(setPeople, () => setFailed(true));
  }, []);
  useEffect(load, [load]);
  const again = () => {
    setFailed(false);
    load();
  };
  return { people, failed, again };
}

function Session({ who, onSignOut }: { who: string; onSignOut: () => void }) {
  const [controller] = useState(() => new Controller(() => credentialsFor(who)));
  useEffect(() => {
    controller.start();
    return () => controller.stop();
  }, [controller]);
  return (
    <ControllerContext value={controller}>
      <Workspace onSignOut={onSignOut} />
    </ControllerContext>
  );
}
