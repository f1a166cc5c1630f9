import { text } from "../messages";
import type { ConversationSummary } from "../protocol";

export interface Group {
  label: string;
  rows: ConversationSummary[];
}

const DAY_MS = 86_400_000;

/** Conversations under the day of their last message, newest first. */
export function grouped(rows: readonly ConversationSummary[], now: Date): Group[] {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups = new Map<string, ConversationSummary[]>();
  for (const row of rows) {
    const label = labelFor(new Date(row.lastMessageAt).getTime(), today);
    groups.set(label, [...(groups.get(label) ?? []), row]);
  }
  return [...groups].map(([label, inside]) => ({ label, rows: inside }));
}

function labelFor(time: number, today: number): string {
  if (time >= today) return text.list.today;
  if (time >= today - DAY_MS) return text.list.yesterday;
  return time >= today - 7 * DAY_MS ? text.list.week : text.list.older;
}
