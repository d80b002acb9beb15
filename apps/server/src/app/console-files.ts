import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What the served page tells the console before any request. */
export interface BootData {
  devFlag: boolean
  demo: boolean
  /** Sign-in of the demo owner, only when this installation shows it. */
  demoSignIn?: { username: string; phone?: string; password?: string }
  version: string
}

/** Folder of the built console: dist/web beside dist/server, also when run from source. */
export function consoleFolder(): string | null {
  const here = dirname(fileURLToPath(import.meta.url))
  for (const folder of [join(here, '../web'), join(here, '../../../../dist/web')])
    if (existsSync(join(folder, 'index.html'))) return folder
  return null
}

/** Only our own files; antd needs inline styles; the boot data is JSON, not a script. */
const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"

function withBoot(html: string, boot: BootData): string {
  const json = JSON.stringify(boot).replaceAll('<', '\\u003c')
  const tag = `<script type="application/json" id="tw-boot">${json}</script>`
  return /<script[^>]*id="tw-boot"[^>]*>[^<]*<\/script>/.test(html)
    ? html.replace(/<script[^>]*id="tw-boot"[^>]*>[^<]*<\/script>/, () => tag)
    : html.replace('</head>', () => `${tag}</head>`)
}

/** Serves the console: hashed files for ever, the page never from a cache, every unknown address the page. */
export async function consoleFiles(app: FastifyInstance, folder: string | null, boot: () => BootData): Promise<void> {
  if (!folder) return
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  let rendered: { key: string; plain: Buffer; gzip: Buffer } | null = null
  const page = () => {
    const data = boot()
    const key = JSON.stringify(data)
    if (rendered?.key !== key) {
      const plain = Buffer.from(withBoot(html, data))
      rendered = { key, plain, gzip: gzipSync(plain, { level: 9 }) }
    }
    return rendered
  }
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const gzip = String(request.headers['accept-encoding'] ?? '').includes('gzip')
    reply.header('content-security-policy', CSP)
    reply.header('referrer-policy', 'same-origin')
    reply.header('x-frame-options', 'SAMEORIGIN')
    reply.header('cache-control', 'no-cache')
    reply.header('vary', 'accept-encoding')
    if (gzip) reply.header('content-encoding', 'gzip')
    return reply.type('text/html; charset=utf-8').send(gzip ? page().gzip : page().plain)
  }
  await app.register(fastifyStatic, {
    root: folder,
    index: false,
    wildcard: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      response.setHeader(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      response.setHeader('x-content-type-options', 'nosniff')
    },
  })
  app.get('/', { schema: { hide: true } }, sendPage)
  // The router of the console knows which addresses exist; here every page address is the page.
  app.get('/*', { schema: { hide: true } }, (request, reply) => {
    const path = request.url.split('?')[0]!
    if (/^\/(api|oauth|device|mqtt|callbacks|mcp)(\/|$)/.test(path) || /\.[a-z0-9]{1,8}$/i.test(path))
      return reply.callNotFound()
    return sendPage(request, reply)
  })
}
