/**
 * Characters that are not seen but change what is read: bidirectional overrides, zero-width marks, tags (a whole
 * sentence can be hidden in them), control characters. What joins emoji and shapes scripts (U+200C, U+200D) stays.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** The text as it is read: nothing in it that a person would not see. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSEEN, '')
}
