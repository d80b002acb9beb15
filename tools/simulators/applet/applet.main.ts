import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { compileFunction } from 'node:vm'
import { type Element, Window } from 'happy-dom'
import { nameOf, renamed, TAGS } from './tags.ts'
import { createWx } from './wx.ts'

/** What the program is asked by the process that started it (applet.ts). */
export type Order =
  | {
      type: 'start'
      files: Record<string, string>
      ext: object | null
      language: string
      domains: string[]
      codes: string[]
    }
  | { type: 'answer'; answer: 'accept' | 'reject' }
  | { type: 'code'; code: string }
  | { type: 'open'; url: string }
  | { type: 'event'; selector: string; at: number; name: string; detail: Record<string, unknown> }
  | { type: 'look' }

/** What a person sees. */
export interface Seen {
  page: string
  title: string
  tabs: string[]
  toasts: string[]
  /** Templates of messages that the person was asked for, each time. */
  asked: string[][]
  text: string
  /** Of every element with a class: its classes, its words, and its values. */
  elements: { classes: string[]; text: string; values: Record<string, unknown> }[]
}

interface Node {
  dom: Element
  data: Record<string, unknown>
  dispatchEvent(name: string, options: object): void
  querySelectorAll(selector: string): Node[]
  attach(parent: unknown): void
  detach(): void
  instance: Record<string, unknown>
}

// The framework is made for a browser and asks for its globals.
const window = new Window({ url: 'https://servicewechat.com/' })
Object.assign(globalThis, { window, document: window.document, CustomEvent: window.CustomEvent })

const framework = createRequire(import.meta.url)('j-component') as {
  register(definition: object): string
  create(id: string): Node
}
for (const [tag, values] of Object.entries(TAGS))
  framework.register({
    id: nameOf(tag),
    tagName: nameOf(tag),
    template: '<slot></slot>',
    properties: Object.fromEntries([...values, 'ariaLabel'].map(value => [value, null])),
  })

type Definition = Record<string, unknown> & { data?: object }
const HOOKS = ['onLoad', 'onShow', 'onHide', 'onUnload'] as const
const MOST_PAGES = 10

let files: Record<string, string> = {}
let codes: string[] = []
let answer: 'accept' | 'reject' = 'reject'
let asked: string[][] = []
let shell: ReturnType<typeof createWx>['shell']
let globals: Record<string, unknown> = {}
let stack: { path: string; node: Node }[] = []
const modules = new Map<string, { exports: unknown }>()
const pages = new Map<string, string>()

function load(path: string): unknown {
  const known = modules.get(path)
  if (known) return known.exports
  const source = files[path]
  if (source === undefined) throw new Error(`${path} is not in the package`)
  const made = { exports: {} as unknown }
  modules.set(path, made)
  const names = Object.keys(globals)
  const run = compileFunction(source, ['module', 'exports', 'require', ...names], { filename: path })
  const find = (name: string) => {
    const place = join(dirname(path), name)
    return load(place.endsWith('.js') ? place : `${place}.js`)
  }
  run.call(undefined, made, made.exports, find, ...names.map(name => globals[name]))
  return made.exports
}

/** The page of a path, read once. */
function pageOf(path: string): string {
  const known = pages.get(path)
  if (known !== undefined) return known
  let definition: Definition | null = null
  globals.Page = (given: Definition) => {
    definition = given
  }
  load(`${path}.js`)
  if (!definition) throw new Error(`${path} made no page`)
  const { data = {}, ...methods } = definition as Definition
  const id = framework.register({ template: renamed(files[`${path}.wxml`] ?? ''), data, methods })
  pages.set(path, id)
  return id
}

const call = (node: Node, hook: (typeof HOOKS)[number], ...given: unknown[]) => {
  const method = node.instance[hook]
  if (typeof method === 'function') method.apply(node.instance, given)
}

function leave(): void {
  const top = stack.pop()
  if (!top) return
  call(top.node, 'onUnload')
  top.node.detach()
}

function open(url: string, keep: boolean): void {
  const [path = '', query = ''] = url.replace(/^\//, '').split('?')
  const listed = (JSON.parse(files['app.json']!) as { pages: string[] }).pages
  if (!listed.includes(path)) throw new Error(`${path} is not listed in app.json`)
  if (keep && stack.length < MOST_PAGES) {
    const top = stack.at(-1)
    if (top) {
      call(top.node, 'onHide')
      top.node.detach()
    }
  } else while (stack.length > 0) leave()
  const node = framework.create(pageOf(path))
  node.attach(window.document.body)
  stack.push({ path, node })
  call(node, 'onLoad', Object.fromEntries(new URLSearchParams(query)))
  call(node, 'onShow')
}

function look(): Seen {
  const top = stack.at(-1)
  const elements = top ? [...top.node.dom.querySelectorAll('[class]')] : []
  return {
    page: top?.path ?? '',
    title: shell.title,
    tabs: shell.tabs,
    toasts: shell.toasts,
    asked,
    text: top?.node.dom.textContent ?? '',
    elements: elements.map(element => {
      const { __wxElement: inner } = element as unknown as { __wxElement?: { data?: Record<string, unknown> } }
      return { classes: [...element.classList], text: element.textContent ?? '', values: { ...inner?.data } }
    }),
  }
}

function act({ selector, at, name, detail }: Extract<Order, { type: 'event' }>): void {
  const found = stack.at(-1)?.node.querySelectorAll(selector)[at]
  if (!found) throw new Error(`there is no ${selector} on the page`)
  found.dispatchEvent(name, { detail })
}

function take(order: Order): unknown {
  switch (order.type) {
    case 'start': {
      files = order.files
      codes = order.codes
      asked = []
      const made = createWx({
        ext: order.ext,
        language: order.language,
        domains: order.domains,
        subscribe(templateIds) {
          asked.push([...templateIds])
          return answer
        },
        login: () => codes.shift() ?? '',
        go: (kind, url) => open(url, kind === 'navigateTo'),
      })
      shell = made.shell
      globals = { wx: made.wx, Page: () => undefined, App: (app: { onLaunch?(): void }) => app.onLaunch?.() }
      stack = []
      load('app.js')
      open((JSON.parse(files['app.json']!) as { pages: string[] }).pages[0]!, false)
      return null
    }
    case 'answer':
      answer = order.answer
      return null
    case 'code':
      codes.push(order.code)
      return null
    case 'open':
      open(order.url, true)
      return null
    case 'event':
      act(order)
      return null
    case 'look':
      return look()
  }
}

process.on('message', ({ ask, order }: { ask: number; order: Order }) => {
  let reply: object
  try {
    reply = { ask, value: take(order) }
  } catch (error) {
    reply = { ask, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  process.send?.(reply)
})
process.on('disconnect', () => process.exit(0))
process.on('unhandledRejection', error => process.stderr.write(`unhandled in the mini-program: ${String(error)}\n`))
process.send?.({ ready: true })
