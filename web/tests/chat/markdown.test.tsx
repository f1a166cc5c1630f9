// @vitest-environment jsdom
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Markdown } from "../../src/chat/Markdown";

afterEach(cleanup);

const source = { n: 2, documentId: "d", chunkId: "c", filename: "a.pdf", snippet: "s" };

function show(words: string) {
  const onSource = vi.fn();
  const { container } = render(
    <Markdown words={words} live={false} sources={[source]} onSource={onSource} />,
  );
  return { container, onSource };
}

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "before <iframe src='https://example.com'></iframe> after",
  "<svg onload=alert(1)>",
])("HTML is shown as text: %s", (words) => {
  const { container } = show(words);
  expect(container.querySelector("script, img, iframe, svg")).toBeNull();
  expect(container.textContent).toContain(words);
});

test.each(["javascript:alert(1)", "data:text/html,x", "vbscript:x", "JaVaScRiPt:alert(1)"])(
  "a link that would act leads nowhere: %s",
  (address) => {
    const { container } = show(`[click](${address})`);
    expect(container.querySelector("a")?.getAttribute("href") ?? "").toBe("");
  },
);

test("a link leaves without a trace, a picture is not fetched", () => {
  const { container } = show("[out](https://example.com/) ![a cat](https://example.com/cat.png)");
  const link = screen.getByRole("link", { name: "out" });
  expect(link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  expect(link.getAttribute("target")).toBe("_blank");
  expect(container.querySelector("img")).toBeNull();
  expect(container.textContent).toContain("a cat");
});

test("a citation of a source opens it; other brackets stay as they are", () => {
  const { container, onSource } = show("Eighteen weeks [2][7], `a[2]`, [2](https://example.com/).");
  screen.getByRole("button", { name: "Source 2: a.pdf" }).click();
  expect(onSource).toHaveBeenCalledWith(source);
  expect(container.textContent).toContain("[7]");
  expect(container.querySelector("code")?.textContent).toBe("a[2]");
  expect(screen.getAllByRole("button")).toHaveLength(1);
});
