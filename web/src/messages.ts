import type { Failure } from "./client/failure";

/** Every text of the page. Another language is another object of this shape. */
export const text = {
  product: "Rolecall",
  skipToMessage: "Skip to the message field",

  signIn: {
    title: "Who’s in the room today?",
    lead: "Rolecall runs on this machine. Choose one of its two demo people and talk to their agent.",
    recruiter: "Hires for Northwind Talent",
    job_seeker: "Looks for their next role",
    start: "Continue as",
    loading: "Looking for the people of this machine…",
    unavailable: "Nobody can sign in here",
    unavailableHint: "The local stack does not answer. Start it with “make run”, then try again.",
    again: "Try again",
  },

  account: {
    label: "Account",
    recruiter: (company: string) => `Recruiting for ${company}`,
    job_seeker: "Job seeker",
    signOut: "Switch person",
  },

  link: {
    connecting: "Connecting…",
    open: "Connected",
    lost: "Connection lost. Trying again…",
    closed: "Disconnected",
    retry: "Try now",
  },

  offline: {
    badge: "Offline model",
    title: "The offline model is answering.",
    body: "It follows rules and quotes your data; set MODEL for another.",
    dismiss: "Hide this note",
  },

  list: {
    label: "Conversations",
    open: "Show conversations",
    close: "Hide conversations",
    fresh: "New conversation",
    search: "Search conversations",
    clear: "Clear the search",
    untitled: "New conversation",
    empty: "Your conversations will be listed here.",
    nothingFound: (query: string) => `Nothing found for “${query}”.`,
    failed: "The list could not be loaded.",
    again: "Try again",
    more: "Show older",
    rename: (title: string) => `Rename “${title}”`,
    remove: (title: string) => `Delete “${title}”`,
    newTitle: "New title",
    today: "Today",
    yesterday: "Yesterday",
    week: "Last 7 days",
    older: "Older",
  },

  removeConversation: {
    title: "Delete this conversation?",
    body: (title: string) => `“${title}” and its messages will no longer be shown.`,
    confirm: "Delete",
    cancel: "Keep it",
  },

  thread: {
    label: "Messages",
    loading: "Loading the conversation…",
    failed: "The conversation could not be loaded.",
    again: "Try again",
    fresh: "Start a new conversation",
    older: "Show earlier messages",
    latest: "Go to the latest message",
    you: "You said",
    agent: (name: string) => `${name} answered`,
    working: "Working on it",
    queued: "Sending",
    copy: "Copy the answer",
    copied: "Copied",
    took: (seconds: string) => `${seconds} s`,
    agentName: "Your agent",
  },

  reasoning: {
    show: "Show reasoning",
    hide: "Hide reasoning",
    thinking: "Thinking",
  },

  tools: {
    nothing: "none",
    label: "Tools used",
    state: { running: "running", done: "done", failed: "failed" },
    input: "Input",
    output: "Output",
    truncated: "The output was cut to fit; the stored message has all of it.",
    took: (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`),
    yes: "yes",
    no: "no",
  },

  failure: {
    stopped: "You stopped this answer.",
    title: "This answer was not finished",
    retry: "Try again",
    askAgain: "Ask again",
    notSent: "Not sent",
    sendAgain: "Send again",
    dismiss: "Dismiss",
    lost: { message: "The connection was lost.", hint: "Try again." },
    noAnswer: { message: "The server did not answer.", hint: "Try again in a moment." },
  },

  composer: {
    label: "Message",
    placeholder: (agent: string) => `Message ${agent}`,
    send: "Send",
    stop: "Stop answering",
    attach: "Add documents",
    keys: "Enter sends, Shift + Enter starts a new line",
    busy: "The answer is still coming. Press Esc to stop it.",
    left: (count: number) => `${count.toLocaleString("en")} characters left`,
    over: (count: number) => `${count.toLocaleString("en")} characters too many`,
    tooManyBytes: "Too long to send; shorten it or add it as a document.",
  },

  welcome: {
    greeting: (part: "morning" | "afternoon" | "evening", name: string) => `Good ${part}, ${name}.`,
    lead: {
      recruiter: "Ask about your records and documents, or have something changed.",
      job_seeker: "Ask about your profile and documents, or have something changed.",
    },
    tryLabel: "Things to ask",
    tries: {
      recruiter: [
        "What can you do for me?",
        "Who am I, and how many credits do we have?",
        "Set my title to Lead Recruiter",
      ],
      job_seeker: [
        "What can you do for me?",
        "What does my profile say?",
        "Set my location to Stockholm, Sweden",
      ],
    },
    fromDocuments: (filename: string) => `What does ${filename} say?`,
  },

  sources: {
    label: "Sources",
    cite: (n: number) => `Source ${n}`,
    citeOf: (n: number, filename: string) => `Source ${n}: ${filename}`,
    page: (from: number, to?: number) =>
      to && to !== from ? `pages ${from}–${to}` : `page ${from}`,
    passage: "Passage",
    match: "How well it matches",
    meaning: "Meaning",
    words: "Words",
    overall: "Overall",
    gone: "The document was replaced or deleted; this is what the answer quoted.",
  },

  panel: { close: "Close" },
  documents: {
    label: "Documents",
    open: "Documents",
    lead: "The agent answers from these and names its source.",
    choose: "Choose files",
    dropHere: "Drop files to add them",
    drop: "or drop them here: PDF, Word, text, HTML, CSV",
    empty: "No documents yet.",
    failed: "The documents could not be loaded.",
    again: "Try again",
    uploading: (percent: number) => `Uploading, ${percent} %`,
    status: {
      PENDING: "Waiting",
      PROCESSING: "Reading",
      CHUNKING: "Cutting into passages",
      EMBEDDING: "Making it searchable",
      COMPLETED: "Ready",
      FAILED: "Failed",
    } as Record<string, string>,
    cancel: (filename: string) => `Cancel the upload of ${filename}`,
    retry: "Try again",
    remove: (filename: string) => `Delete ${filename}`,
    removeTitle: "Delete this document?",
    removeBody: (filename: string) => `The agent will no longer find “${filename}”.`,
    removeConfirm: "Delete",
    removeCancel: "Keep it",
    tooLarge: {
      code: "TOO_LARGE",
      message: "This file is larger than 50 MB.",
      hint: "Split it into smaller files and upload those.",
    },
    uploadRefused: (status: number): Failure => ({
      code: "UPLOAD",
      message: `The file was not accepted (HTTP ${status}).`,
      hint: "Try again. If it fails again, check that the file is not empty.",
    }),
    uploadBroken: {
      code: "UPLOAD",
      message: "The upload was cut off.",
      hint: "Check the connection and try again.",
    },
  },

  announce: {
    answered: (answer: string) => `The answer is here. ${answer.slice(0, 600)}`,
    refused: (failure: Failure) => `Not sent. ${failure.message} ${failure.hint}`,
    documentReady: (filename: string) => `${filename} is ready.`,
    documentFailed: (filename: string) => `${filename} could not be read.`,
  },
};
