const PATHS = {
  check: "m4 10.5 4 4 8-9",
  close: "m5 5 10 10M15 5 5 15",
  plus: "M10 4v12M4 10h12",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 3.5 3.5",
  menu: "M3.5 6h13M3.5 10h9M3.5 14h13",
  pencil: "m4 16 .8-3.2L13 4.6l2.4 2.4-8.2 8.2L4 16Z",
  trash: "M4 6h12M8 6V4h4v2m-6.5 0 .7 10h7.6l.7-10",
  send: "M10 16V4.5M5 9.5l5-5 5 5",
  stop: "M6 6h8v8H6z",
  paper: "M6 3.5h5.5L15 7v9.5H6zM11 3.5V7.5h4",
  copy: "M7.5 7.5h8v8h-8zM12.500 7.500v-3h-8v8h3",
  chevron: "m7.500 5 5 5-5 5",
  down: "M10 4v11.500M5 10.500l5 5 5-5",
  warn: "M10 3.500 17.500 16h-15L10 3.500ZM10 8.500v3.500m0 2v.1",
  spark: "M10 3v4m0 6v4m-7-7h4m6 0h4",
  again: "M15.500 10a5.500 5.500 0 1 1-1.700-4m1.900-2.500v3h-3",
  clip: "m15.500 9.500-5.600 5.600a3.400 3.400 0 0 1-4.800-4.800l6-6a2.300 2.300 0 0 1 3.200 3.200l-5.800 5.800a1.100 1.100 0 0 1-1.600-1.600L12 6.600",
  image: "M3.500 4.500h13v11h-13zM3.500 13l3.500-3.500 4 4M11 12l2-2 3.500 3.500M12.500 7.500v.1",
  good: "M7 9.500v6.500H4V9.500h3Zm0 0 2.800-6c1.200 0 2 .9 1.700 2.200L11 8h4.300c.9 0 1.500.8 1.300 1.700l-1 4.900c-.2.800-.8 1.400-1.700 1.400H7",
  bad: "M13 10.500V4h3v6.500h-3Zm0 0-2.800 6c-1.200 0-2-.9-1.700-2.200L9 12H4.700c-.9 0-1.500-.8-1.300-1.700l1-4.900C4.600 4.600 5.200 4 6.100 4H13",
  list: "M7.500 5.500h9M7.500 10h9M7.500 14.500h9M3.500 5.500h.1M3.500 10h.1M3.500 14.500h.1",
  star: "m10 3.500 2 4.300 4.500.6-3.300 3.200.8 4.600-4-2.300-4 2.300.8-4.600L3.500 8.400 8 7.800l2-4.300Z",
  key: "M12.500 11a3.500 3.500 0 1 0-3.300-2.300L4 14v2.500h2.500V15H8v-1.500h1.500l1-1a3.500 3.500 0 0 0 2-1.500Zm.6-3.700v.1",
  eyeless:
    "M3.500 10s2.500-4.500 6.500-4.500 6.500 4.500 6.500 4.500-2.500 4.500-6.500 4.500S3.500 10 3.500 10Zm1 6 11-12",
  leave: "M8 4H4.500v12H8m4.500-2.500L16 10l-3.500-3.500M16 10H8",
  question: "M7.500 7.500a2.500 2.500 0 1 1 3.600 2.300c-.8.4-1.100.9-1.100 1.700m0 2.600v.1",
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing beside words, or inside a labelled button; never the only name of anything. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

/** Three names on a list; the one that answered is ticked. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32">
      <rect width="32" height="32" rx="8" fill="#0d5c49" />
      <g fill="none" strokeLinecap="round" strokeLinejoin="round" strokeWidth="2.5">
        <path d="M8 9.500h10M8 22.500h7" stroke="#fff" opacity=".55" />
        <path d="m8 16 3.600 3.200L24 9.500" stroke="#ffce6b" />
      </g>
    </svg>
  );
}
