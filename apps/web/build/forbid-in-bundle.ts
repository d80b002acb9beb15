import type { Plugin } from 'vite'

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
