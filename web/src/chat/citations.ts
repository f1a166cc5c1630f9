import type { Element, ElementContent, Root } from "hast";

export const CITE = "cite-n";
const PATTERN = /\[(\d{1,3})\]/g;
const LITERAL = new Set(["code", "pre", "a"]);

/** Makes an element of each `[n]` in a text, but not in code or in a link. Runs after sanitising. */
export function rehypeCitations() {
  return (tree: Root): void => {
    tree.children = within(tree.children as ElementContent[]);
  };
}

function within(nodes: ElementContent[]): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type === "text") return split(node.value);
    if (node.type === "element" && !LITERAL.has(node.tagName)) {
      return [{ ...node, children: within(node.children) }];
    }
    return [node];
  });
}

function split(value: string): ElementContent[] {
  const parts: ElementContent[] = [];
  let end = 0;
  for (const match of value.matchAll(PATTERN)) {
    if (match.index > end) parts.push({ type: "text", value: value.slice(end, match.index) });
    parts.push(citation(match[1] ?? ""));
    end = match.index + match[0].length;
  }
  if (end < value.length || parts.length === 0)
    parts.push({ type: "text", value: value.slice(end) });
  return parts;
}

function citation(n: string): Element {
  return {
    type: "element",
    tagName: CITE,
    properties: {},
    children: [{ type: "text", value: n }],
  };
}
