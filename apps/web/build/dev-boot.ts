import type { Plugin } from 'vite'

const MARK = '<!--tw-boot-->'

/** In development Vite serves the page: the boot data is taken over from the page of the running server. */
export function devBoot(server: string): Plugin {
  return {
    name: 'dev-boot',
    apply: 'serve',
    async transformIndexHtml(html) {
      try {
        const page = await (await fetch(`${server}/index`, { signal: AbortSignal.timeout(2000) })).text()
        const script = /<script type="application\/json" id="tw-boot">[\s\S]*?<\/script>/.exec(page)?.[0]
        return script ? html.replace(MARK, () => script) : html
      } catch {
        // The server is not up yet: every value has its default.
        return html
      }
    },
  }
}
