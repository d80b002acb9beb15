import { END_USER_TOOLS } from '@thingwright/contracts/end-user-routes'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { type Actor, customerOf, type Locale } from '../../lib/context.ts'
import type { EntityFinder, EntityKind, Tool } from '../../lib/tools/tools.ts'
import words from './assistant-words.json' with { type: 'json' }
import { fill } from './tool-context.ts'

/** The tools by name, and what a caller may be offered. */
export interface ToolRegistry {
  readonly all: readonly Tool[]
  readonly finders: ReadonlyMap<EntityKind, EntityFinder>
  get(name: string): Tool | undefined
  /** The tools that the actor holds the right for; `readOnly`: those that change nothing. */
  offered(actor: Actor, readOnly?: boolean): Tool[]
  /** A checked copy of the input: numbers in texts are numbers, empty texts are absent. */
  check(tool: Tool, input: unknown, locale: Locale): { input: Record<string, unknown> } | { problem: string }
}

const NAME = /^[a-z][a-z0-9_]{2,63}$/

/**
 * @throws Error naming the tool that is not as the rules say: at the start, not at the first question
 */
export function createToolRegistry(tools: readonly Tool[], finders: readonly EntityFinder[]): ToolRegistry {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    checkTool(tool)
    if (byName.has(tool.name)) throw new Error(`two tools are called ${tool.name}`)
    byName.set(tool.name, tool)
  }
  const byKind = new Map<EntityKind, EntityFinder>()
  for (const finder of finders) {
    if (byKind.has(finder.kind)) throw new Error(`two finders for ${finder.kind}`)
    byKind.set(finder.kind, finder)
  }
  const ajv = new Ajv({
    allErrors: true,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    coerceTypes: false,
  })
  const checks = new Map<string, ValidateFunction>()

  return {
    all: tools,
    finders: byKind,
    get: name => byName.get(name),
    offered: (actor, readOnly = false) =>
      tools.filter(tool => (!readOnly || tool.class === 'read') && mayUse(tool, actor)),
    check(tool, given, locale) {
      const input = prepared(tool, given)
      if (!input) return { problem: words.check.notAnObject[locale] }
      let check = checks.get(tool.name)
      if (!check) {
        check = ajv.compile(tool.input)
        checks.set(tool.name, check)
      }
      if (check(input)) return { input }
      return {
        problem: (check.errors ?? [])
          .slice(0, 5)
          .map(error => problemOf(error, locale))
          .join(' '),
      }
    },
  }
}

/** Whether the actor holds the right that a tool cannot do without; an end user: of those that are open to him. */
export function mayUse({ name, permission }: Pick<Tool, 'name' | 'permission'>, actor: Actor): boolean {
  if (actor.kind === 'system') return false
  if (customerOf(actor) && !END_USER_TOOLS.has(name)) return false
  return permission === 'public' || permission === 'signed-in' || actor.permissions.has(permission)
}

function checkTool(tool: Tool): void {
  const refuse = (why: string): never => {
    throw new Error(`tool ${tool.name}: ${why}`)
  }
  if (!NAME.test(tool.name)) refuse('its name must be verb_noun')
  const schema = tool.input as { type?: string; additionalProperties?: unknown }
  if (schema.type !== 'object') refuse('its input must be an object')
  if (schema.additionalProperties !== false) refuse('its input must allow no other properties')
  if (!tool.description) refuse('it has no description')
  if (!tool.words) refuse('it has no words')
  for (const locale of ['zh', 'en'] as const) {
    if (!tool.words.title?.[locale]) refuse(`it has no title (${locale})`)
    if (!Array.isArray(tool.words.phrases?.[locale])) refuse(`it has no phrases (${locale})`)
    for (const [key, text] of Object.entries(tool.words.texts ?? {}))
      if (typeof text[locale] !== 'string') refuse(`its text ${key} is missing (${locale})`)
  }
  const parts: readonly string[] = tool.class === 'read' ? ['run'] : ['prepare', 'finish']
  for (const part of parts)
    if (typeof (tool as unknown as Record<string, unknown>)[part] !== 'function') refuse(`it has no ${part}`)
}

/** A copy with what people and models write differently brought into shape; null: it is no object. */
function prepared(tool: Tool, given: unknown): Record<string, unknown> | null {
  if (given === undefined || given === null) return {}
  if (typeof given !== 'object' || Array.isArray(given)) return null
  const properties = (tool.input as { properties?: Record<string, { type?: string }> }).properties ?? {}
  const required = new Set((tool.input as { required?: string[] }).required ?? [])
  const input: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(given)) {
    // Models fill in what they do not know with null and with nothing.
    if (value === null || value === undefined || (value === '' && !required.has(key))) continue
    const type = Object.hasOwn(properties, key) ? properties[key]!.type : undefined
    input[key] = asNumber(type, value)
  }
  return { ...structuredClone(input) }
}

function asNumber(type: string | undefined, value: unknown): unknown {
  if ((type !== 'number' && type !== 'integer') || typeof value !== 'string') return value
  const text = value.trim()
  return /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : value
}

function problemOf(error: ErrorObject, locale: Locale): string {
  const params = error.params as Record<string, unknown>
  const field = String(
    params.missingProperty ?? params.additionalProperty ?? error.instancePath.slice(1).replaceAll('/', '.'),
  ).slice(0, 64)
  const texts = words.check as Record<string, { zh: string; en: string }>
  const text = texts[error.keyword] ?? texts.other!
  return fill(text[locale], {
    ...params,
    field,
    ...(Array.isArray(params.allowedValues) ? { allowed: params.allowedValues.join(', ') } : {}),
  })
}
