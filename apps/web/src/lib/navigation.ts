/** Lets lib send the person somewhere without knowing the router; the app hands the function over. */
let navigator: (path: string) => void = path => window.location.assign(path)

export function setNavigator(go: (path: string) => void): void {
  navigator = go
}

export function goTo(path: string): void {
  navigator(path)
}

/** Removes a leading `/zh` or `/en`: the bare address that is stored and shown. */
export function withoutLanguage(path: string): string {
  const bare = path.replace(/^\/(zh|en)(?=\/|\?|#|$)/, '')
  return bare.startsWith('/') ? bare : `/${bare}`
}

/** The language that an address asks for by its prefix, or null. */
export function languageOf(path: string): 'zh' | 'en' | null {
  const found = /^\/(zh|en)(?=\/|\?|#|$)/.exec(path)
  return found ? (found[1] as 'zh' | 'en') : null
}

/**
 * A stored target is followed only when it is a path of this site: `//host`, `\\host`, schemes, and characters that
 * browsers drop while reading an address (tab, line feed) are refused. Returns the safe path or null.
 */
export function ownPath(target: string | null, origin: string = window.location.origin): string | null {
  if (target === null || !/^\/(?![/\\])/.test(target) || /[\u0000-\u001f\u007f\\]/.test(target)) return null
  try {
    const url = new URL(target, origin)
    if (url.origin !== new URL(origin).origin || url.pathname.startsWith('//')) return null
    return url.pathname + url.search + url.hash
  } catch {
    return null
  }
}
