/** A navigation that may not happen and has no page to stay on. */
export class BlockedNavigation extends Error {
  override name = 'BlockedNavigation'
}
