import type { MenuItem } from '@thingwright/contracts/identity.contract'

const plain = (text: string) => text.normalize('NFKC').toLowerCase().trim()

/** An entry of the side menu that leads somewhere, with the groups above it. */
export interface PageTarget {
  path: string
  name: string
  ename: string
  above: readonly MenuItem[]
}

/** What else is found by its name: words beside it count less. */
export interface Named {
  title: string
  about: string
  words: string
}

/** What is called so, best first: beginnings before middles, names before the words beside them. */
export function findNamed<T extends Named>(all: readonly T[], query: string, limit = 4): T[] {
  const wanted = plain(query)
  if (wanted === '') return []
  return all
    .map(named => ({
      named,
      rank: Math.min(
        rankOf(plain(named.title), wanted),
        rankOf(plain(named.words), wanted) + 3,
        rankOf(plain(named.about), wanted) + 6,
      ),
    }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ named }) => named)
}

/** Every page of the menu, in its order. */
export function pagesOf(menus: readonly MenuItem[], above: readonly MenuItem[] = []): PageTarget[] {
  return menus.flatMap(item => [
    ...(item.path !== '' && item.jump === 0 ? [{ path: item.path, name: item.name, ename: item.ename, above }] : []),
    ...pagesOf(item.children, [...above, item]),
  ])
}

/**
 * Pages whose name in either language holds the words, best first: names that begin with them, then names that hold
 * them, then pages found by the name of their group.
 */
export function findPages(pages: readonly PageTarget[], query: string, limit = 6): PageTarget[] {
  const wanted = plain(query)
  if (wanted === '') return []
  const ranked = pages.flatMap((page, at) => {
    const rank = Math.min(...[page.name, page.ename].map(name => rankOf(plain(name), wanted)))
    const group = page.above.some(item => plain(`${item.name}\n${item.ename}`).includes(wanted))
      ? 3
      : Number.POSITIVE_INFINITY
    const best = Math.min(rank, group)
    return Number.isFinite(best) ? [{ page, best, at }] : []
  })
  return ranked
    .sort((a, b) => a.best - b.best || a.at - b.at)
    .slice(0, limit)
    .map(({ page }) => page)
}

function rankOf(name: string, wanted: string): number {
  if (name.startsWith(wanted)) return 0
  if (name.split(/[\s/()-]+/).some(word => word.startsWith(wanted))) return 1
  return name.includes(wanted) ? 2 : Number.POSITIVE_INFINITY
}
