import type { Credentials } from "../client/link";

/** Whom one may be on this machine. */
export interface Person {
  as: string;
  name: string;
  title: string;
  mode: "recruiter" | "job_seeker";
}

export interface Model {
  name: string;
  offline: boolean;
}

export interface People {
  people: Person[];
  model: Model;
}

/** The local stack signs its demo people in; a deployed one has an identity provider instead. */
export const readPeople = (): Promise<People> => read<People>("/local/session");

export const credentialsFor = (who: string): Promise<Credentials> =>
  read<Credentials>(`/local/session?as=${encodeURIComponent(who)}`);

async function read<T>(path: string): Promise<T> {
  const response = await fetch(path, { cache: "no-store" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (await response.json()) as T;
}
