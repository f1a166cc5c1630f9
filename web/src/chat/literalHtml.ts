import type { Parent, Root } from "mdast";

/** Shows HTML that the model wrote as what it is: text. */
export function remarkLiteralHtml() {
  return (tree: Root): void => visit(tree);
}

function visit(parent: Parent): void {
  parent.children = parent.children.map((node) => {
    if (node.type === "html") return { type: "text", value: node.value };
    if ("children" in node) visit(node);
    return node;
  });
}
