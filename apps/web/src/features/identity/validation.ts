/** A mainland mobile number, or an international one with its +code. */
export function isPhone(text: string): boolean {
  return /^1[3-9]\d{9}$/.test(text) || /^\+[1-9]\d{6,14}$/.test(text)
}

/** Four to eight digits. */
export function isCode(text: string): boolean {
  return /^\d{4,8}$/.test(text)
}
