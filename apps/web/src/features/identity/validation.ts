/** A mainland mobile number, or an international one with its +code. */
export function isPhone(text: string): boolean {
  return /^1[3-9]\d{9}$/.test(text) || /^\+[1-9]\d{6,14}$/.test(text)
}

/** Four to eight digits. */
export function isCode(text: string): boolean {
  return /^\d{4,8}$/.test(text)
}

/** 3 to 32 letters, digits, `.`, `_`, `-`; not digits alone. The server has the last word. */
export function isUsername(text: string): boolean {
  const name = text.trim()
  const length = [...name].length
  return length >= 3 && length <= 32 && /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}._-]*$/u.test(name) && !/^\p{Nd}+$/u.test(name)
}

export function isEmail(text: string): boolean {
  return /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/.test(text.trim())
}
