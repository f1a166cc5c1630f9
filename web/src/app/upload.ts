import { RequestFailed } from "../client/failure";
import { text } from "../messages";

export interface UploadTarget {
  url: string;
  fields: Record<string, string>;
}

/** Post a file as the form that was signed for it; `fetch` tells nothing of its progress. */
export function postFile(
  target: UploadTarget,
  file: File,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(target.fields)) form.append(name, value);
  form.append("file", file); // S3 ignores what follows the file
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new RequestFailed(text.documents.uploadRefused(request.status)));
    };
    request.onerror = () => reject(new RequestFailed(text.documents.uploadBroken));
    request.onabort = () => reject(new DOMException("", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", target.url);
    request.send(form);
  });
}
