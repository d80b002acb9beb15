import type { Plugin } from 'vite'

/**
 * Fails the build when what every visitor downloads first (the entry and all it imports statically) holds a module of
 * the given packages: they belong to pages that are opened later.
 */
export function forbidInEntry(packages: string[]): Plugin {
  return {
    name: 'forbid-in-entry',
    apply: 'build',
    generateBundle(_options, bundle) {
      const seen = new Set<string>()
      const walk = (name: string) => {
        const chunk = bundle[name]
        if (chunk?.type !== 'chunk' || seen.has(name)) return
        seen.add(name)
        for (const id of Object.keys(chunk.modules)) {
          const found = packages.find(each => id.replaceAll('\\', '/').includes(`/node_modules/${each}/`))
          if (found) this.error(`${found} would be downloaded by every visitor (${name}): look at the chunk groups`)
        }
        chunk.imports.forEach(walk)
      }
      for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk' && chunk.isEntry) walk(chunk.fileName)
    },
  }
}

/** Fails the build when a module of the given packages would reach the browser. */
export function forbidInBundle(packages: string[]): Plugin {
  return {
    name: 'forbid-in-bundle',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        for (const id of Object.keys(chunk.modules)) {
          const found = packages.find(name => id.replaceAll('\\', '/').includes(`/node_modules/${name}/`))
          if (found)
            this.error(`${found} is in the browser's bundle (${chunk.fileName}): import contracts as types only`)
        }
      }
    },
  }
}
