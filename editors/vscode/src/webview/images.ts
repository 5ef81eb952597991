import type { Attachment } from "../chat/messages";

/** The images that models take. */
const types = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** The largest image that is sent, in bytes: what the providers accept. */
const largest = 5 * 1024 * 1024;

export function isImage(file: File): boolean {
  return types.has(file.type) && file.size <= largest;
}

export async function readImage(file: File): Promise<Attachment> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  // In pieces: a function takes only so many arguments.
  for (let i = 0; i < bytes.length; i += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(i, i + 32_768));
  }
  return { label: file.name, block: { type: "image", data: btoa(binary), mimeType: file.type } };
}
