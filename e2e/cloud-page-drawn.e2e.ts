import { readFileSync } from 'node:fs'
import { emptyScene, newNode, type SceneNode } from '@thingwright/scene'
import { fromFuxa } from '@thingwright/scene/fuxa/from-fuxa'
import mqtt, { type MqttClient } from 'mqtt'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient, openBrowser, visitor } from './fixtures/console.ts'
import { type SharedServer, sharedServer } from './fixtures/shared-server.ts'
import { ConsolePage } from './pages/console-page.ts'

let server: SharedServer
let browser: Browser
let api: Awaited<ReturnType<typeof apiClient>>
beforeAll(async () => {
  server = await sharedServer()
  browser = await openBrowser()
  api = await apiClient(server.url)
})
afterAll(() => browser?.close())

interface Kept {
  id: string
  version: number
  scene: { nodes: { id: string; kind: string; props: Record<string, unknown> }[] }
}

describe('a page that is drawn and bound in the editor', () => {
  let device: MqttClient | null = null
  afterAll(() => device?.endAsync())

  it('shows a tank, a valve and a chart alive to a stranger, who opens the valve with the PIN', async () => {
    const product = await api<{ id: string; productKey: string }>('POST', '/products', {
      name: 'Drawn station',
      linkType: 'mqtt',
      thingModel: {
        properties: [
          { identifier: 'level', name: 'Level', unit: '%', dataType: { type: 'double' }, access: 'r' },
          { identifier: 'valve', name: 'Valve', dataType: { type: 'bool' }, access: 'rw' },
        ],
      },
    })
    const made = await api<{ id: string; deviceNo: string; deviceSecret: string }>('POST', '/devices', {
      name: 'Drawn tank',
      productId: product.id,
    })
    const prefix = `things/${product.productKey}/${made.deviceNo}`
    device = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${product.productKey}/${made.deviceNo}`,
      password: made.deviceSecret,
    })
    const client = device
    const report = (values: object) =>
      client.publishAsync(`${prefix}/property/post`, JSON.stringify(values), { qos: 1 })
    // The device does what it is told and says so.
    const told: unknown[] = []
    client.on('message', (_topic, payload) => {
      const { id, params } = JSON.parse(String(payload)) as { id: string; params: object }
      told.push(params)
      client.publish(`${prefix}/property/set_reply`, JSON.stringify({ id, code: 0 }), { qos: 1 })
      client.publish(`${prefix}/property/post`, JSON.stringify(params), { qos: 1 })
    })
    await client.subscribeAsync(`${prefix}/property/set`, { qos: 1 })
    await report({ level: 20, valve: false })

    // ── drawn ──
    const { context, page } = await visitor(browser, { locale: 'en' })
    const console_ = new ConsolePage(page, server.url)
    await console_.enterAt('/manage/user/center/cloudConfig')
    await page.getByRole('button', { name: 'Create page' }).first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel('Name').fill('Drawn station')
    await drawer.getByLabel('Address').fill('drawn-station')
    await drawer.getByRole('button', { name: 'Create page' }).click()
    const editor = page.getByTestId('page-editor')
    const stage = editor.getByTestId('stage')
    const choose = async (scope: Locator, label: string, text: string) => {
      await scope.getByRole('combobox', { name: label, exact: true }).click()
      const shown = page.locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden)')
      await shown.locator('.ant-select-item-option').filter({ hasText: text }).first().click()
    }
    const pageSide = editor.getByRole('complementary', { name: 'Page', exact: true })
    await pageSide.getByRole('button', { name: 'Add role' }).click()
    await pageSide.getByLabel('Name', { exact: true }).fill('Tank')
    await choose(pageSide, 'Device', 'Drawn tank')

    const side = editor.getByRole('complementary', { name: 'Element', exact: true })
    const add = async (name: string, called: string, at: { x: number; y: number }) => {
      const before = await stage.locator('[data-node]').count()
      await editor.getByRole('searchbox', { name: /Search \d+ elements/ }).fill(name)
      await editor.getByRole('button', { name, exact: true }).click()
      await expect.poll(() => stage.locator('[data-node]').count()).toBe(before + 1)
      await side.getByRole('textbox', { name: 'Element name' }).fill(called)
      for (const key of ['x', 'y'] as const) {
        const field = side.getByRole('spinbutton', { name: key.toUpperCase(), exact: true })
        await field.fill(String(at[key]))
        await field.press('Enter')
      }
    }
    const bind = async (point: string) => {
      await side.getByRole('tab', { name: 'Data' }).click()
      await side.getByRole('button', { name: 'Add to Bindings' }).click()
      await choose(side, 'Property', `(${point})`)
    }
    await add('Upright tank', 'Tank', { x: 60, y: 60 })
    await bind('level')
    await side.getByRole('tab', { name: 'Looks' }).click()
    await add('Chart', 'Curve', { x: 360, y: 320 })
    await bind('level')
    await side.getByRole('tab', { name: 'Looks' }).click()
    await add('Ball valve', 'Valve', { x: 400, y: 100 })
    await bind('valve')
    await side.getByRole('tab', { name: 'Actions' }).click()
    await side.getByRole('button', { name: 'Add to Actions' }).click()
    await choose(side, 'Do', 'Toggle')
    await choose(side, 'Property', '(valve)')
    await editor.getByRole('status').getByText('Saved', { exact: true }).waitFor()

    const [listed] = (await api<{ items: Kept[] }>('GET', '/pages?q=drawn-station')).items
    const kept = async () => api<Kept>('GET', `/pages/${listed!.id}`)
    await expect
      .poll(async () => (await kept()).scene.nodes.map(node => ({ ...node, props: undefined })), { timeout: 20_000 })
      .toMatchObject([
        { kind: 'tank-upright', x: 60, y: 60, bind: [{ source: { from: 'property', point: 'level' } }] },
        { kind: 'chart', x: 360, y: 320, bind: [{ source: { from: 'property', point: 'level' } }] },
        {
          ...{ kind: 'valve-ball', name: 'Valve', bind: [{ prop: 'on', source: { point: 'valve' } }] },
          events: [{ on: 'click', do: 'toggle', point: 'valve' }],
        },
      ])
    const drawn = await kept()
    await api('PATCH', `/pages/${drawn.id}`, { version: drawn.version, control: 'pin', pin: '2580' })
    await page.reload()
    await expect.poll(() => stage.locator('[data-node]').count()).toBe(3)

    // ── published ──
    await editor.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog.getByText('v1 is published').waitFor()

    // ── alive for a stranger ──
    const stranger = await visitor(browser, { locale: 'en' })
    await stranger.page.goto(`${server.url}/page/drawn-station`)
    const seen = stranger.page.getByRole('main')
    const [tank, chart, valve] = drawn.scene.nodes.map(({ id }) => seen.locator(`[data-node="${id}"]`))
    const curve = chart!.locator('path[fill="none"]')
    await curve.waitFor({ state: 'attached' })
    const look = async () => ({
      tank: await tank!.innerHTML(),
      curve: await curve.getAttribute('d'),
      valve: await valve!.innerHTML(),
    })
    const before = await look()
    await report({ level: 80 })
    // Within a second on a machine that does nothing else.
    await expect.poll(async () => (await look()).tank !== before.tank, { timeout: 10_000 }).toBe(true)
    await expect.poll(async () => (await look()).curve !== before.curve, { timeout: 10_000 }).toBe(true)
    expect((await look()).valve).toBe(before.valve)

    // ── the valve is pressed with its PIN ──
    await valve!.click()
    const ask = stranger.page.getByRole('dialog')
    await ask.getByLabel('PIN').fill('2580')
    await ask.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect.poll(() => told, { timeout: 20_000 }).toEqual([{ valve: true }])
    await expect.poll(async () => (await look()).valve !== before.valve, { timeout: 20_000 }).toBe(true)
    await stranger.context.close()
    await context.close()
  })
})

// ── nothing that somebody brought along runs ──
const FOREIGN = 'https://foreign.example'
const hostileDrawing = (mark: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9" onload="ranHere('${mark} onload')">` +
  `<script>ranHere('${mark} script')</script><style>@import url(${FOREIGN}/style.css); rect { fill: url(${FOREIGN}/fill.svg#a) }</style>` +
  `<rect width="9" height="9"/>` +
  `<image href="${FOREIGN}/${mark}.png" width="9" height="9"/><image href="data:," onerror="ranHere('${mark} onerror')" width="1" height="1"/>` +
  `<a xlink:href="javascript:ranHere('${mark} link')"><rect width="9" height="9"/></a>` +
  `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${FOREIGN}/frame"></iframe></foreignObject></svg>`
const HOSTILE_TEXT = `<script>ranHere('text script')</script><img src="${FOREIGN}/text.png" onerror="ranHere('text onerror')">`

/** A visitor whose browser records scripts that ran and requests to a foreign host. */
async function witness(): Promise<{ context: BrowserContext; page: Page; ran: string[]; asked: string[] }> {
  const { context, page } = await visitor(browser, { locale: 'en' })
  const [ran, asked]: [string[], string[]] = [[], []]
  await context.exposeBinding('ranHere', (_source, what: string) => void ran.push(what))
  await context.route(`${FOREIGN}/**`, route => {
    asked.push(new URL(route.request().url()).pathname)
    return route.fulfill({ status: 200, contentType: 'text/html', body: '<p>foreign</p>' })
  })
  return { context, page, ran, asked }
}

/** The server's own answers, without the policy that a browser would hold them to. */
async function withoutPolicy(page: Page): Promise<void> {
  await page.route(
    url => url.origin === new URL(server.url).origin,
    async route => {
      const response = await route.fetch()
      const { 'content-security-policy': policy, ...headers } = response.headers()
      await route.fulfill({ response, headers: policy === undefined ? response.headers() : headers })
    },
  )
}

async function publish(suffix: string, name: string, scene: unknown): Promise<Kept> {
  const page = await api<Kept>('POST', '/pages', { name, suffix, scene })
  await api('POST', `/pages/${page.id}/publish`, {})
  return page
}

async function material(bytes: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([bytes], { type: 'image/svg+xml' }), 'plan.svg')
  const { id, version } = await api<{ id: string; version: number }>('POST', '/media', form)
  await api('PATCH', `/media/${id}`, { version, public: true })
  return id
}

const node = (id: string, kind: string, props: Record<string, string>, y: number) =>
  newNode(id, kind, { name: id, props, x: 20, y, w: 200, h: 60 })
const sceneOf = (nodes: SceneNode[], hosts: string[] = []) => ({ ...emptyScene('canvas'), hosts, nodes })
const HOSTILE_NODES = [
  node('words', 'text', { value: HOSTILE_TEXT }, 20),
  node('drawing', 'drawing', { drawing: hostileDrawing('drawing') }, 100),
  node('after', 'text', { value: 'all is drawn' }, 200),
]

describe('what somebody brings along', () => {
  it('would run if it were handed out as it came: the witness sees it', async () => {
    const { context, page, ran, asked } = await witness()
    await page.route(`${server.url}/raw.svg`, route =>
      route.fulfill({ status: 200, contentType: 'image/svg+xml', body: hostileDrawing('raw') }),
    )
    await page.goto(`${server.url}/raw.svg`)
    await expect.poll(() => ran, { timeout: 20_000 }).toEqual(expect.arrayContaining(['raw script', 'raw onload']))
    await expect.poll(() => asked, { timeout: 20_000 }).toContain('/raw.png')
    await context.close()
  })

  it('is cleaned on its way in: without any policy nothing runs and nothing is asked of a foreign host', async () => {
    const { context, page, ran, asked } = await witness()
    await withoutPolicy(page)
    const kept = await publish('hostile-page', HOSTILE_TEXT.slice(0, 60), sceneOf(HOSTILE_NODES))
    await page.goto(`${server.url}/page/hostile-page`)
    await page.getByRole('main').getByText('all is drawn').waitFor()
    // The text is shown as the text that it is.
    await page.getByRole('main').getByText("<script>ranHere('text script')</script>").waitFor()

    // Its drawing as a document of its own, where scripts of drawings do run.
    const drawing = String(kept.scene.nodes.find(({ kind }) => kind === 'drawing')!.props.drawing)
    expect(drawing).toContain('<svg')
    await page.route(`${server.url}/kept.svg`, route =>
      route.fulfill({ status: 200, contentType: 'image/svg+xml', body: drawing }),
    )
    await page.goto(`${server.url}/kept.svg`)
    await page.locator('rect').first().click({ force: true })

    await page.goto(`${server.url}/media/${await material(hostileDrawing('material'))}`)
    await page.locator('rect').first().click({ force: true })

    const project = JSON.parse(
      readFileSync(new URL('../packages/scene/src/fuxa/demo-excerpt.json', import.meta.url), 'utf8'),
    )
    for (const view of project.hmi.views)
      view.svgcontent = String(view.svgcontent)
        .replace('<svg ', `<svg onload="ranHere('fuxa onload')" `)
        .replace(
          /<\/svg>\s*$/,
          `${hostileDrawing('fuxa')}<text x="9" y="9">${'&lt;script&gt;ranHere(1)&lt;/script&gt;'}</text></svg>`,
        )
    const { pages } = fromFuxa(project, 'hostile-fuxa')
    expect(pages.length).toBeGreaterThan(0)
    for (const { name, suffix, scene } of pages) {
      await publish(suffix, name, scene)
      await page.goto(`${server.url}/page/${suffix}`)
      await page.getByRole('main').locator('[data-node]').first().waitFor()
    }
    for (const src of [
      `javascript:ranHere('src')`,
      `${FOREIGN}/a.png`,
      `data:text/html,<script>ranHere('data')</script>`,
    ])
      await expect(
        api('POST', '/pages', { name: 'No', suffix: 'hostile-no', scene: sceneOf([node('i', 'image', { src }, 0)]) }),
      ).rejects.toThrow('page.invalid')
    const deed = {
      ...node('b', 'button', {}, 0),
      events: [{ on: 'click' as const, do: 'url' as const, url: `javascript:ranHere('deed')` }],
    }
    await expect(api('POST', '/pages', { name: 'No', suffix: 'hostile-no', scene: sceneOf([deed]) })).rejects.toThrow(
      'page.invalid',
    )

    expect({ ran, asked }).toEqual({ ran: [], asked: [] })
    await context.close()
  })

  it('is held by the policy alone: what got past the cleaning runs nothing and asks nothing of a foreign host', async () => {
    await publish('policy-page', 'Policy', sceneOf([node('after', 'text', { value: 'all is drawn' }, 200)]))
    const id = await material('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>')
    const hostile = sceneOf(
      [
        ...HOSTILE_NODES,
        node('picture', 'image', { src: `${FOREIGN}/picture.png` }, 300),
        node('frame', 'frame', { url: `${FOREIGN}/frame` }, 360),
        node('film', 'video', { src: `${FOREIGN}/film.mp4` }, 420),
      ],
      ['foreign.example'],
    )
    const html = `<script>ranHere('html script')</script><script src="${FOREIGN}/script.js"></script><img src="${FOREIGN}/html.png" onerror="ranHere('html onerror')"><iframe src="javascript:ranHere('html frame')"></iframe><svg onload="ranHere('html onload')"></svg>`
    /** Opens both with the answers altered on their way; the headers stay the server's, or lose the policy. */
    const look = async (policy: boolean) => {
      const { context, page, ran, asked } = await witness()
      const headersOf = (headers: Record<string, string>) => {
        const { 'content-security-policy': own, ...rest } = headers
        expect(own, 'the server sends a policy').toBeDefined()
        return policy ? headers : rest
      }
      await page.route(`${server.url}/page/policy-page`, async route => {
        const response = await route.fetch()
        const body = (await response.text()).replace('</body>', `${html}</body>`)
        expect(body).toContain('html script')
        await route.fulfill({ response, headers: headersOf(response.headers()), body })
      })
      await page.route('**/api/v1/public/pages/policy-page/enter', async route => {
        const response = await route.fetch()
        const reply = (await response.json()) as object
        await route.fulfill({ response, json: { ...reply, scene: hostile } })
      })
      await page.route(`${server.url}/media/${id}`, async route => {
        const response = await route.fetch()
        await route.fulfill({ response, headers: headersOf(response.headers()), body: hostileDrawing('material') })
      })
      await page.goto(`${server.url}/page/policy-page`)
      await page.getByRole('main').getByText('all is drawn').waitFor()
      await page.getByRole('main').locator('[data-node="film"]').waitFor()
      await page.waitForLoadState('load')
      if (!policy)
        await expect.poll(() => asked, { timeout: 20_000 }).toEqual(expect.arrayContaining(['/picture.png', '/frame']))
      await page.goto(`${server.url}/media/${id}`)
      if (!policy) await expect.poll(() => ran, { timeout: 20_000 }).toContain('material script')
      await context.close()
      return { ran, asked }
    }
    expect(await look(true)).toEqual({ ran: [], asked: [] })
    // The same without the policy: it is the policy that held it.
    const without = await look(false)
    expect(without.ran).toEqual(expect.arrayContaining(['html script', 'html onload', 'material script']))
    expect(without.asked).toEqual(expect.arrayContaining(['/script.js', '/picture.png', '/frame', '/film.mp4']))
  })
})
