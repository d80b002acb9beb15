/**
 * Some browsers name a language that their own Intl refuses (`en-US@posix`, from a system without a locale). Libraries
 * that trust it fail while they are loaded, so it is replaced before they are. Import this in front of them.
 */
export function mendLanguage(of: Pick<Navigator, 'language'> | undefined = globalThis.navigator): void {
  if (!of) return
  try {
    new Intl.NumberFormat(of.language)
  } catch {
    Object.defineProperty(of, 'language', { value: 'en-US', configurable: true })
  }
}

mendLanguage()
