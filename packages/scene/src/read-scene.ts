import { ExpressionError, parseExpression } from './expression.ts'
import { raised } from './migrate.ts'
import {
  AGGREGATES,
  type Binding,
  DEEDS,
  EFFECTS,
  type Effect,
  EVENTS,
  FIT_MODES,
  type Guide,
  MAX_BINDINGS,
  MAX_CHOICES,
  MAX_DRAWING,
  MAX_NODES,
  MAX_ROLES,
  MAX_SCENE_LENGTH,
  MAX_SIZE,
  MAX_TEXT,
  type Mapping,
  OPERATORS,
  SCENE_KINDS,
  SCENE_VERSION,
  type Scalar,
  type Scene,
  type SceneEvent,
  type SceneNode,
  type SceneRole,
  SOURCES,
  type Source,
  SPANS,
} from './scene.ts'

/** What is wrong with a part of a document, by its path (`nodes.3.bind.0.source.text`). */
export interface SceneProblem {
  path: string
  code:
    | 'type'
    | 'range'
    | 'word'
    | 'too_long'
    | 'too_many'
    | 'missing'
    | 'twice'
    | 'role_unknown'
    | 'group_unknown'
    | 'group_circle'
    | 'node_unknown'
    | 'expression'
    | 'address'
    | 'colour'
    | 'version'
    | 'later_version'
    | 'too_large'
  params: Record<string, string | number>
}

const MAX_PROBLEMS = 100
const KEY = /^[\p{L}_][\p{L}\p{N}_]{0,31}$/u
const ID = /^[A-Za-z0-9_-]{1,40}$/
const KIND = /^[a-z][a-z0-9_-]{0,59}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const POINT = /^[\p{L}_][\p{L}\p{N}_]{0,63}$/u
/** A property, or a part of one: `pos.lat`. */
const PART = /^[\p{L}_][\p{L}\p{N}_]{0,63}(\.[\p{L}_][\p{L}\p{N}_]{0,63}){0,3}$/u
const COLOUR = /^(#[0-9a-fA-F]{3,8}|[a-z]{3,30}|transparent)$/
const HOST = /^(?=.{1,200}$)([a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}(:\d{1,5})?$/

/** An address that a page may go to or load: https, http, or a path of this server. Nothing that runs. */
export function isSafeAddress(text: string): boolean {
  if (/^\/(?!\/)[\w\-./?=&%#~+:@!,;]*$/.test(text)) return true
  try {
    return ['https:', 'http:'].includes(new URL(text).protocol)
  } catch {
    return false
  }
}

/** Whether a picture, video or frame may be shown: from this server, or of a host that the page names. */
export function isAllowedSource(text: string, hosts: readonly string[]): boolean {
  if (!isSafeAddress(text)) return false
  return text.startsWith('/') || hosts.includes(new URL(text).host)
}

/**
 * Reads a document that came from outside: a draft, a file, a program. What is wrong is said with its place; what is not
 * known is left out. The scene is only there when nothing is wrong.
 */
export function readScene(input: unknown): { scene: Scene; problems: [] } | { scene: null; problems: SceneProblem[] } {
  const reader = new Reader()
  const scene = reader.scene(input)
  return scene && reader.problems.length === 0
    ? { scene, problems: [] }
    : { scene: null, problems: reader.problems.slice(0, MAX_PROBLEMS) }
}

type Fields = Record<string, unknown>

class Reader {
  readonly problems: SceneProblem[] = []
  private roles = new Set<string>()

  private say(path: string, code: SceneProblem['code'], params: SceneProblem['params'] = {}): void {
    if (this.problems.length <= MAX_PROBLEMS) this.problems.push({ path, code, params })
  }

  scene(input: unknown): Scene | null {
    if (!isFields(input)) {
      this.say('', 'type', { wanted: 'object' })
      return null
    }
    const up = raised(input)
    if ('code' in up) {
      if (up.code === 'later') this.say('v', 'later_version', { version: up.version, known: SCENE_VERSION })
      else this.say('v', 'version')
      return null
    }
    const { document } = up
    if (JSON.stringify(document).length > MAX_SCENE_LENGTH) {
      this.say('', 'too_large', { limit: MAX_SCENE_LENGTH })
      return null
    }
    const grid = isFields(document.grid) ? document.grid : {}
    const roles = this.list(document.roles, 'roles', MAX_ROLES, (each, path) => this.role(each, path))
    this.unique(roles, 'key', 'roles')
    this.roles = new Set(roles.map(({ key }) => key))
    const nodes = this.list(document.nodes, 'nodes', MAX_NODES, (each, path) => this.node(each, path))
    this.unique(nodes, 'id', 'nodes')
    this.groups(nodes)
    return {
      v: SCENE_VERSION,
      kind: this.word(document.kind, 'kind', SCENE_KINDS, 'canvas'),
      width: this.number(document.width, 'width', 100, MAX_SIZE, 1920),
      height: this.number(document.height, 'height', 100, MAX_SIZE, 1080),
      background: this.colour(document.background, 'background') ?? '#dde1e6',
      fit: this.word(document.fit, 'fit', FIT_MODES, 'whole'),
      grid: {
        size: this.number(grid.size, 'grid.size', 1, 500, 10),
        snap: grid.snap !== false,
        shown: grid.shown === true,
      },
      guides: this.list(document.guides, 'guides', 100, (each, path): Guide => {
        const guide = isFields(each) ? each : {}
        return {
          axis: this.word(guide.axis, `${path}.axis`, ['x', 'y'], 'x'),
          at: this.number(guide.at, `${path}.at`, -MAX_SIZE, MAX_SIZE, 0),
        }
      }),
      roles,
      hosts: this.list(document.hosts, 'hosts', 20, (each, path) => {
        const host = this.text(each, path, 200).toLowerCase()
        if (!HOST.test(host)) this.say(path, 'address')
        return host
      }),
      nodes,
    }
  }

  private role(input: unknown, path: string): SceneRole {
    const role = isFields(input) ? input : {}
    const key = this.text(role.key, `${path}.key`, 32)
    if (!KEY.test(key)) this.say(`${path}.key`, key === '' ? 'missing' : 'word')
    return {
      key,
      name: this.text(role.name, `${path}.name`, 64),
      productId: this.uuid(role.productId, `${path}.productId`),
      deviceId: this.uuid(role.deviceId, `${path}.deviceId`),
      choices: this.list(role.choices, `${path}.choices`, MAX_CHOICES, (each, at) => this.uuid(each, at) ?? ''),
    }
  }

  private node(input: unknown, path: string): SceneNode {
    const node = isFields(input) ? input : {}
    if (!isFields(input)) this.say(path, 'type', { wanted: 'object' })
    const id = this.text(node.id, `${path}.id`, 40)
    if (!ID.test(id)) this.say(`${path}.id`, id === '' ? 'missing' : 'word')
    const kind = this.text(node.kind, `${path}.kind`, 60)
    if (!KIND.test(kind)) this.say(`${path}.kind`, kind === '' ? 'missing' : 'word')
    return {
      id,
      kind,
      name: this.text(node.name, `${path}.name`, 64),
      x: this.number(node.x, `${path}.x`, -MAX_SIZE, 2 * MAX_SIZE, 0),
      y: this.number(node.y, `${path}.y`, -MAX_SIZE, 2 * MAX_SIZE, 0),
      w: this.number(node.w, `${path}.w`, 1, MAX_SIZE, 100),
      h: this.number(node.h, `${path}.h`, 1, MAX_SIZE, 100),
      r: this.number(node.r, `${path}.r`, -360, 360, 0),
      props: this.props(node.props, `${path}.props`),
      bind: this.list(node.bind, `${path}.bind`, MAX_BINDINGS, (each, at) => this.binding(each, at)),
      effects: this.list(node.effects, `${path}.effects`, MAX_BINDINGS, (each, at) => this.effect(each, at)),
      events: this.list(node.events, `${path}.events`, MAX_BINDINGS, (each, at) => this.event(each, at)),
      locked: node.locked === true,
      hidden: node.hidden === true,
      group: node.group === null || node.group === undefined ? null : this.text(node.group, `${path}.group`, 40),
      show: this.list(node.show, `${path}.show`, 50, (each, at) => this.uuid(each, at) ?? ''),
      operate: this.list(node.operate, `${path}.operate`, 50, (each, at) => this.uuid(each, at) ?? ''),
    }
  }

  private props(input: unknown, path: string): Record<string, Scalar> {
    const props: Record<string, Scalar> = {}
    if (input === undefined) return props
    if (!isFields(input)) {
      this.say(path, 'type', { wanted: 'object' })
      return props
    }
    const entries = Object.entries(input)
    if (entries.length > 100) this.say(path, 'too_many', { limit: 100 })
    for (const [key, value] of entries.slice(0, 100)) {
      if (!POINT.test(key) || Object.hasOwn(Object.prototype, key)) this.say(`${path}.${key}`, 'word')
      else props[key] = this.scalar(value, `${path}.${key}`, key === 'drawing' ? MAX_DRAWING : MAX_TEXT)
      if ((key === 'src' || key === 'url') && props[key] && !isSafeAddress(String(props[key])))
        this.say(`${path}.${key}`, 'address')
    }
    return props
  }

  private binding(input: unknown, path: string): Binding {
    const binding = isFields(input) ? input : {}
    const prop = this.text(binding.prop, `${path}.prop`, 64)
    if (!POINT.test(prop)) this.say(`${path}.prop`, prop === '' ? 'missing' : 'word')
    const map = this.mapping(binding.map, `${path}.map`)
    return { prop, source: this.source(binding.source, `${path}.source`), ...(map ? { map } : {}) }
  }

  private mapping(input: unknown, path: string): Mapping | undefined {
    if (input === undefined || input === null) return undefined
    const map = isFields(input) ? input : {}
    const kind = this.word(map.kind, `${path}.kind`, ['ranges', 'scale', 'bit'], 'bit')
    if (kind === 'bit') return { kind, bit: this.number(map.bit, `${path}.bit`, 0, 31, 0) }
    if (kind === 'scale') {
      const pair = (value: unknown, at: string): [number, number] => {
        const list = Array.isArray(value) ? value : []
        return [this.any(list[0], `${at}.0`), this.any(list[1], `${at}.1`)]
      }
      return { kind, from: pair(map.from, `${path}.from`), to: pair(map.to, `${path}.to`) }
    }
    return {
      kind,
      items: this.list(map.items, `${path}.items`, 50, (each, at) => {
        const item = isFields(each) ? each : {}
        const end = (value: unknown, where: string) =>
          value === null || value === undefined ? null : this.any(value, where)
        return {
          min: end(item.min, `${at}.min`),
          max: end(item.max, `${at}.max`),
          value: this.scalar(item.value, `${at}.value`),
        }
      }),
      otherwise: this.scalar(map.otherwise ?? null, `${path}.otherwise`),
    }
  }

  private source(input: unknown, path: string): Source {
    const source = isFields(input) ? input : {}
    if (!isFields(input)) this.say(path, 'missing')
    const from = this.word(source.from, `${path}.from`, SOURCES, 'constant')
    switch (from) {
      case 'property':
        return { from, role: this.roleOf(source, path), point: this.point(source.point, `${path}.point`, PART) }
      case 'aggregate':
        return {
          from,
          role: this.roleOf(source, path),
          point: this.point(source.point, `${path}.point`),
          fn: this.word(source.fn, `${path}.fn`, AGGREGATES, 'avg'),
          span: this.word(source.span, `${path}.span`, SPANS, 'today'),
        }
      case 'alarm':
      case 'online':
        return { from, role: this.roleOf(source, path) }
      case 'expression': {
        const text = this.text(source.text, `${path}.text`, 500)
        this.expression(text, `${path}.text`)
        return { from, text }
      }
      case 'api': {
        const url = this.text(source.url, `${path}.url`, 500)
        if (!/^https?:/.test(url) || !isSafeAddress(url)) this.say(`${path}.url`, 'address')
        return {
          from,
          url,
          path: this.text(source.path, `${path}.path`, 200),
          seconds: this.number(source.seconds, `${path}.seconds`, 10, 86_400, 60),
        }
      }
      case 'constant':
        return { from, value: this.scalar(source.value ?? null, `${path}.value`) }
    }
  }

  private expression(text: string, path: string): void {
    try {
      const roles = this.roles
      const visit = (each: ReturnType<typeof parseExpression>): void => {
        if (each.op === 'point' && !roles.has(each.role)) this.say(path, 'role_unknown', { role: each.role })
        for (const inner of Object.values(each)) {
          if (Array.isArray(inner)) for (const one of inner) visit(one)
          else if (inner !== null && typeof inner === 'object') visit(inner)
        }
      }
      visit(parseExpression(text))
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      this.say(path, 'expression', { reason: error.reason, at: error.at + 1, what: error.what })
    }
  }

  private effect(input: unknown, path: string): Effect {
    const effect = isFields(input) ? input : {}
    const colour = effect.colour === undefined ? undefined : this.colour(effect.colour, `${path}.colour`)
    return {
      effect: this.word(effect.effect, `${path}.effect`, EFFECTS, 'blink'),
      source: this.source(effect.source, `${path}.source`),
      when: this.word(effect.when, `${path}.when`, OPERATORS, 'true'),
      ...(effect.value === undefined ? {} : { value: this.scalar(effect.value, `${path}.value`) }),
      ...(effect.to === undefined ? {} : { to: this.any(effect.to, `${path}.to`) }),
      ...(colour ? { colour } : {}),
      ...(effect.dx === undefined ? {} : { dx: this.number(effect.dx, `${path}.dx`, -MAX_SIZE, MAX_SIZE, 0) }),
      ...(effect.dy === undefined ? {} : { dy: this.number(effect.dy, `${path}.dy`, -MAX_SIZE, MAX_SIZE, 0) }),
    }
  }

  private event(input: unknown, path: string): SceneEvent {
    const event = isFields(input) ? input : {}
    const read: SceneEvent = {
      on: this.word(event.on, `${path}.on`, EVENTS, 'click'),
      do: this.word(event.do, `${path}.do`, DEEDS, 'set'),
    }
    if (read.do === 'set' || read.do === 'toggle' || read.do === 'add') {
      read.role = this.roleOf(event, path)
      read.point = this.point(event.point, `${path}.point`)
    } else if (read.do === 'device') read.role = this.roleOf(event, path)
    if (event.value !== undefined && event.value !== null) read.value = this.scalar(event.value, `${path}.value`)
    if (event.min !== undefined && event.min !== null) read.min = this.any(event.min, `${path}.min`)
    if (event.max !== undefined && event.max !== null) read.max = this.any(event.max, `${path}.max`)
    if (event.confirm) read.confirm = this.text(event.confirm, `${path}.confirm`, 200)
    if (read.do === 'page') {
      read.page = this.text(event.page, `${path}.page`, 32)
      if (!/^[a-z0-9-]{4,32}$/.test(read.page)) this.say(`${path}.page`, read.page === '' ? 'missing' : 'word')
    }
    if (read.do === 'url') {
      read.url = this.text(event.url, `${path}.url`, 1000)
      if (!isSafeAddress(read.url)) this.say(`${path}.url`, 'address')
    }
    if (read.do === 'dialog' || read.do === 'close') {
      if (event.node !== undefined) read.node = this.text(event.node, `${path}.node`, 40)
      if (read.do === 'dialog' && !read.node) this.say(`${path}.node`, 'missing')
    }
    if (event.newTab === true) read.newTab = true
    return read
  }

  private roleOf(fields: Fields, path: string): string {
    const key = this.text(fields.role, `${path}.role`, 32)
    if (key === '') this.say(`${path}.role`, 'missing')
    else if (!this.roles.has(key)) this.say(`${path}.role`, 'role_unknown', { role: key })
    return key
  }

  private point(value: unknown, path: string, pattern = POINT): string {
    const point = this.text(value, path, pattern === POINT ? 64 : 256)
    if (!pattern.test(point)) this.say(path, point === '' ? 'missing' : 'word')
    return point
  }

  private groups(nodes: readonly SceneNode[]): void {
    const byId = new Map(nodes.map(node => [node.id, node]))
    for (const [i, node] of nodes.entries()) {
      if (node.group === null) continue
      if (byId.get(node.group)?.kind !== 'group') this.say(`nodes.${i}.group`, 'group_unknown', { group: node.group })
      const seen = new Set([node.id])
      for (let up = byId.get(node.group); up; up = up.group === null ? undefined : byId.get(up.group)) {
        if (seen.has(up.id)) {
          this.say(`nodes.${i}.group`, 'group_circle')
          break
        }
        seen.add(up.id)
      }
      for (const [at, event] of node.events.entries())
        if (event.node !== undefined && !byId.has(event.node)) this.say(`nodes.${i}.events.${at}.node`, 'node_unknown')
    }
  }

  private unique<K extends string>(list: readonly Record<K, string>[], key: K, path: string): void {
    const seen = new Set<string>()
    for (const [i, each] of list.entries()) {
      if (each[key] !== '' && seen.has(each[key])) this.say(`${path}.${i}.${key}`, 'twice', { name: each[key] })
      seen.add(each[key])
    }
  }

  private list<T>(input: unknown, path: string, limit: number, read: (each: unknown, path: string) => T): T[] {
    if (input === undefined) return []
    if (!Array.isArray(input)) {
      this.say(path, 'type', { wanted: 'array' })
      return []
    }
    if (input.length > limit) this.say(path, 'too_many', { limit })
    return input.slice(0, limit).map((each, i) => read(each, `${path}.${i}`))
  }

  private text(input: unknown, path: string, limit: number): string {
    if (input === undefined || input === null) return ''
    if (typeof input !== 'string') this.say(path, 'type', { wanted: 'string' })
    else if (input.length > limit) this.say(path, 'too_long', { limit })
    else return input.toWellFormed().replaceAll('\u0000', '')
    return ''
  }

  private scalar(input: unknown, path: string, limit = MAX_TEXT): Scalar {
    if (input === null || typeof input === 'boolean') return input
    if (typeof input === 'number' && Number.isFinite(input)) return input
    if (typeof input === 'string') return this.text(input, path, limit)
    this.say(path, 'type', { wanted: 'scalar' })
    return null
  }

  private number(input: unknown, path: string, min: number, max: number, usual: number): number {
    if (input === undefined) return usual
    if (typeof input !== 'number' || !Number.isFinite(input)) this.say(path, 'type', { wanted: 'number' })
    else if (input < min || input > max) this.say(path, 'range', { min, max })
    else return Math.round(input * 100) / 100
    return usual
  }

  private any(input: unknown, path: string): number {
    if (typeof input === 'number' && Number.isFinite(input)) return input
    this.say(path, 'type', { wanted: 'number' })
    return 0
  }

  private word<const T extends readonly string[]>(input: unknown, path: string, words: T, usual: T[number]): T[number] {
    if (input === undefined) return usual
    const found = words.find(word => word === input)
    if (found === undefined) this.say(path, 'word', { words: words.join(', ') })
    return found ?? usual
  }

  private uuid(input: unknown, path: string): string | null {
    if (input === undefined || input === null || input === '') return null
    if (typeof input === 'string' && UUID.test(input)) return input
    this.say(path, 'type', { wanted: 'uuid' })
    return null
  }

  private colour(input: unknown, path: string): string | null {
    if (input === undefined || input === null || input === '') return null
    if (typeof input === 'string' && COLOUR.test(input)) return input
    this.say(path, 'colour')
    return null
  }
}

function isFields(input: unknown): input is Fields {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}
