import { createContext, use, useSyncExternalStore } from "react";
import type { AppState } from "../state/app";
import type { Controller } from "./controller";
import type { Model } from "./session";

export const ControllerContext = createContext<Controller | null>(null);
export const ModelContext = createContext<Model>({ name: "", offline: false });

export function useController(): Controller {
  const controller = use(ControllerContext);
  if (!controller) throw new Error("no session");
  return controller;
}

/** A part of the state; the selector must return what it returned before where nothing changed. */
export function useApp<T>(select: (state: AppState) => T): T {
  const { store } = useController();
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
