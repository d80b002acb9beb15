import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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
  /** Suffix of the portal whose host was asked. */
  portal?: string
}

/** Folder of the built console: dist/web beside dist/server, also when run from source. */
export function consoleFolder(): string | null {
  const here = dirname(fileURLToPath(import.meta.url))
  for (const folder of [join(here, '../web'), join(here, '../../../../dist/web')])
    if (existsSync(join(folder, 'index.html'))) return folder
  return null
}

/** Only our own files, the page's own first script and the tiles of maps; a player of videos hands its pieces over as blobs; antd needs inline styles; boot data and plan are JSON, not scripts. */
const policy = (scripts: string, tiles: string) =>
  `default-src 'self'; script-src 'self'${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:${tiles}; font-src 'self' data:; connect-src 'self'; media-src 'self' blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'`

/**
 * A cloud page is what somebody drew: it runs our own file and nothing else, and shows pictures, videos and frames of the
 * hosts that the page names. The picture of a camera is handed to the player as a blob of our own file.
 */
const pagePolicy = (hosts: readonly string[]) => {
  const also = hosts.map(host => ` https://${host} http://${host}`).join('')
  return `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:${also}; media-src 'self' blob:${also}; frame-src 'self'${also}; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'`
}

/** Hashes of the scripts that stand in the page itself, as the policy lists them. */
function inlineScripts(html: string): string {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)]
  return scripts.map(([, text]) => ` 'sha256-${createHash('sha256').update(text!).digest('base64')}'`).join('')
}

/** What each address needs on a first visit, as the build found out; none for a console served without it. */
function readPlans(folder: string): Record<string, unknown> {
  const file = join(folder, 'page-plan.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {}
}

/** The files of the console as the paths of their addresses; the page itself is none of them. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `/${relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`)
    .filter(path => path !== '/index.html')
}

const dataTag = (id: string, data: unknown) =>
  `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`

function withBoot(html: string, boot: BootData, plan: unknown): string {
  const tag = dataTag('tw-boot', boot) + (plan ? dataTag('tw-plan', plan) : '')
  return /<script[^>]*id="tw-boot"[^>]*>[^<]*<\/script>/.test(html)
    ? html.replace(/<script[^>]*id="tw-boot"[^>]*>[^<]*<\/script>/, () => tag)
    : html.replace('</head>', () => `${tag}</head>`)
}

/** Serves the console: hashed files for ever, the page never from a cache, every unknown address the page. */
export async function consoleFiles(
  app: FastifyInstance,
  folder: string | null,
  boot: () => BootData,
  /** Hosts that a cloud page may show something of. */
  hostsOf: (suffix: string) => Promise<readonly string[]> = async () => [],
  /** The portal that stands at a host. */
  portalOf: (host: string | undefined) => Promise<string | null> = async () => null,
  /** Where maps take their tiles from: scheme, host and port. */
  tiles: readonly string[] = [],
): Promise<void> {
  if (!folder) return
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const files = new Set(filesIn(folder))
  const plans = readPlans(folder)
  const csp = policy(inlineScripts(html), tiles.map(origin => ` ${origin}`).join(''))
  /** By the address whose plan is in it; at most as many as there are plans. */
  const rendered = new Map<string, { key: string; plain: Buffer; gzip: Buffer }>()
  const page = (url: string, portal: string | null) => {
    const path = url.split('?')[0]!.replace(/^\/(zh|en)(?=\/)/, '')
    const at = path === '/' ? '/index' : Object.hasOwn(plans, path) ? path : ''
    const data = { ...boot(), ...(portal === null ? {} : { portal }) }
    const key = JSON.stringify(data)
    let found = rendered.get(at)
    if (found?.key !== key) {
      const plain = Buffer.from(withBoot(html, data, plans[at]))
      found = { key, plain, gzip: gzipSync(plain, { level: portal === null ? 9 : 1 }) }
      // Pages of portals are made each time: those of the console are what everybody asks for.
      if (portal === null) rendered.set(at, found)
    }
    return found
  }
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const shown = page(request.url, await portalOf(request.headers.host))
    const gzip = String(request.headers['accept-encoding'] ?? '').includes('gzip')
    reply.header('content-security-policy', csp)
    reply.header('referrer-policy', 'same-origin')
    reply.header('x-frame-options', 'SAMEORIGIN')
    reply.header('cache-control', 'no-cache')
    reply.header('vary', 'accept-encoding, host')
    // The service worker keeps what bears this mark for times without a network, and nothing else.
    reply.header('x-thingwright-page', 'console')
    if (gzip) reply.header('content-encoding', 'gzip')
    return reply.type('text/html; charset=utf-8').send(gzip ? shown.gzip : shown.plain)
  }
  await app.register(fastifyStatic, {
    root: folder,
    // A route for each of its files would be half of a second of every start.
    serve: false,
    preCompressed: true,
    // Ours is set below; the library's own would be written over it.
    cacheControl: false,
    setHeaders: (response, path) => {
      response.setHeader(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      )
      response.setHeader('x-content-type-options', 'nosniff')
    },
  })
  const visited = join(folder, 'cloud-page/page.html')
  if (existsSync(visited)) {
    const plain = readFileSync(visited)
    app.get('/page/:suffix', { schema: { hide: true } }, async (request, reply) => {
      const { suffix } = request.params as { suffix: string }
      return reply
        .header('content-security-policy', pagePolicy(await hostsOf(suffix)))
        .header('referrer-policy', 'same-origin')
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(plain)
    })
  }
  app.get('/', { schema: { hide: true } }, sendPage)
  // The router of the console knows which addresses exist; here every page address is the page.
  app.get('/*', { schema: { hide: true } }, (request, reply) => {
    const path = request.url.split('?')[0]!
    if (files.has(path)) return reply.sendFile(path)
    if (path === '/index.html') return sendPage(request, reply)
    if (/^\/(api|oauth|device|mqtt|callbacks|mcp|\.well-known)(\/|$)/.test(path) || /\.[a-z0-9]{1,8}$/i.test(path))
      return reply.callNotFound()
    return sendPage(request, reply)
  })
}
