const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Words that would reach an object's own machinery when used as a key. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** The envelope of a property post is `{ts, values}`; a property of that name could not be told from it. */
const RESERVED_PROPERTIES = new Set(['ts', 'values'])

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text)
}

export function isReservedIdentifier(text: string, place: 'property' | 'other'): boolean {
  return RESERVED.has(text) || (place === 'property' && RESERVED_PROPERTIES.has(text))
}
