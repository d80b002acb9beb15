import type { GeofenceView } from '@thingwright/contracts/geofences.contract'
import { FENCE_COLOURS, type FenceKind } from '@thingwright/contracts/geofences.words'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../../../lib/every.ts'
import { notify } from '../../../../lib/notify.ts'
import { useMay } from '../../../../lib/permissions.ts'
import { useAct } from '../../../../lib/server-state/use-act.ts'
import { useRead } from '../../../../lib/server-state/use-read.ts'
import type { Place } from '../../../../ui/map/projection.ts'
import { beginDrawing, type Drawing } from './shape.ts'

export type ScopeField = 'all' | 'deviceIds' | 'productIds' | 'groupIds' | 'tags'

/** A fence that is made or changed, and its shape as it is being drawn. */
export interface FenceDraft {
  /** null: a new one. */
  fence: GeofenceView | null
  name: string
  colour: string
  enabled: boolean
  remark: string
  scopeField: ScopeField
  scopeValues: string[]
  drawing: Drawing
  /** Of the map when it was begun: where a point is put that is added without the pointer. */
  middle: Place
}

const REREAD_MS = 15_000
/** More fences than these are not drawn; the list is searched. */
const DRAWN = 100

/** The fence panel: what is listed and drawn, the fence that is worked on, and what is done with it. */
export function useFences(open: boolean) {
  const { t } = useTranslation('device-map')
  const mayRead = useMay('geofences.list')
  const mayWrite = useMay('geofences.create')
  const [q, setQ] = useState('')
  const [draft, setDraft] = useState<FenceDraft | null>(null)
  const read = useRead(
    'geofences.list',
    { query: { limit: DRAWN, sort: 'name', total: '1', inside: '1', ...(q.trim() === '' ? {} : { q: q.trim() }) } },
    { enabled: mayRead && open, keep: true, refetchInterval: every(REREAD_MS) },
  )
  const done = (text: string) => () => {
    notify.success(text)
    setDraft(null)
  }
  const touches = ['triggers'] as const
  const create = useAct('geofences.create', { notice: false, done: done(t('fence.created')) })
  const update = useAct('geofences.update', { notice: false, touches, done: done(t('fence.saved')) })
  const toggle = useAct('geofences.update', { touches })
  const remove = useAct('geofences.remove', { touches, done: () => notify.success(t('fence.removed')) })
  const saving = draft?.fence ? update : create

  return {
    mayRead,
    mayWrite,
    q,
    setQ,
    read,
    draft,
    saving,
    toggle,
    remove,
    begin: (kind: FenceKind, middle: Place) =>
      setDraft({
        fence: null,
        name: '',
        colour: FENCE_COLOURS[0],
        enabled: true,
        remark: '',
        scopeField: 'all',
        scopeValues: [],
        drawing: beginDrawing(kind),
        middle,
      }),
    edit(fence: GeofenceView, middle: Place) {
      const [field, values] = Object.entries(fence.scope ?? {})[0] ?? ['all', []]
      setDraft({
        fence,
        name: fence.name,
        colour: fence.colour,
        enabled: fence.enabled,
        remark: fence.remark,
        scopeField: field as ScopeField,
        scopeValues: [...(values ?? [])],
        drawing: { shape: fence.shape, held: null, closed: true },
        middle,
      })
    },
    change: (to: Partial<FenceDraft>) => setDraft(before => before && { ...before, ...to }),
    changeDrawing: (to: (drawing: Drawing) => Drawing) =>
      setDraft(before => before && { ...before, drawing: to(before.drawing) }),
    cancel: () => setDraft(null),
    save() {
      if (!draft) return
      const { fence, name, colour, enabled, remark, scopeField, scopeValues, drawing } = draft
      const body = {
        name: name.trim(),
        colour,
        enabled,
        remark,
        shape: drawing.shape,
        scope: scopeField === 'all' ? null : { [scopeField]: scopeValues },
      }
      if (fence) void update.run({ params: { id: fence.id }, body: { version: fence.version, ...body } })
      else void create.run({ body })
    },
  }
}
export type Fences = ReturnType<typeof useFences>
