import type { ErrorCode } from '@thingwright/contracts/errors'
import { isSafeAddress, readScene, type Scene, type SceneProblem } from '@thingwright/scene'
import { changesOf } from '@thingwright/scene/changes'
import { AppError } from '../../lib/errors.ts'
import { sanitiseDrawing } from '../../lib/files/svg-drawing.ts'

const CODES: Record<SceneProblem['code'], ErrorCode> = {
  type: 'page.field_type',
  range: 'page.field_range',
  word: 'page.field_word',
  too_long: 'page.field_too_long',
  too_many: 'page.field_too_many',
  missing: 'page.field_missing',
  twice: 'page.field_twice',
  role_unknown: 'page.role_unknown',
  group_unknown: 'page.group_unknown',
  group_circle: 'page.group_circle',
  node_unknown: 'page.node_unknown',
  expression: 'page.expression',
  address: 'page.address',
  colour: 'page.colour',
  version: 'page.no_version',
  later_version: 'page.later_version',
  too_large: 'page.too_large',
}

type Fields = Record<string, { code: ErrorCode; params?: Record<string, unknown> }>

function refuse(fields: Fields): never {
  throw new AppError('page.invalid', { fields })
}

/**
 * A document from outside as it may be kept: read, with its drawings written anew from the list of what is allowed.
 * @throws AppError page.invalid with every place that is wrong, as `scene.nodes.3.props.src`
 */
export function checkedScene(input: unknown): Scene {
  const { scene, problems } = readScene(input)
  if (!scene)
    refuse(
      Object.fromEntries(
        problems.map(({ path, code, params }) => [
          path === '' ? 'scene' : `scene.${path}`,
          { code: CODES[code], params },
        ]),
      ),
    )
  const wrong: Fields = {}
  for (const [i, { props }] of scene.nodes.entries()) {
    if (typeof props.drawing === 'string' && props.drawing !== '') {
      const clean = sanitiseDrawing(props.drawing)
      if (clean === null) wrong[`scene.nodes.${i}.props.drawing`] = { code: 'page.drawing' }
      else props.drawing = clean
    }
    for (const key of ['src', 'url']) {
      const value = props[key]
      if (typeof value !== 'string' || value === '' || value.startsWith('/') || !isSafeAddress(value)) continue
      const { host } = new URL(value)
      if (!scene.hosts.includes(host))
        wrong[`scene.nodes.${i}.props.${key}`] = { code: 'page.host_missing', params: { host } }
    }
  }
  if (Object.keys(wrong).length > 0) refuse(wrong)
  return scene
}

/** What is kept already; a document of an earlier version is raised. @throws AppError page.invalid when it cannot be read */
export function storedScene(stored: unknown): Scene {
  const { scene, problems } = readScene(stored)
  if (!scene)
    refuse(
      Object.fromEntries(problems.map(({ path, code, params }) => [`scene.${path}`, { code: CODES[code], params }])),
    )
  return scene
}

/** How many elements are new, gone and different. */
export function difference(before: Scene | null, after: Scene): { added: number; removed: number; changed: number } {
  const { added, removed, changed } = changesOf(before, after)
  return { added: added.length, removed: removed.length, changed: changed.length }
}

/** Whether anything on the page writes to a device. */
export function writes(scene: Scene): boolean {
  return scene.nodes.some(node =>
    node.events.some(({ do: deed }) => deed === 'set' || deed === 'toggle' || deed === 'add'),
  )
}
