import type { Plugin } from 'vite'

const ADDRESS = /^\/page\/[a-z0-9-]{4,32}(?:\?.*)?$/

/** In development Vite serves the program of published pages at their addresses, as the server does with what is built. */
export function devVisitedPage(): Plugin {
  return {
    name: 'dev-visited-page',
    apply: 'serve',
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        if (request.url && ADDRESS.test(request.url)) request.url = '/page.html'
        next()
      })
    },
  }
}
