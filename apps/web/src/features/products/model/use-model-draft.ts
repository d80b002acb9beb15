import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { type ModelProblem, parseModel, type ThingModel } from '@thingwright/thing-model'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { ApiError } from '../../../lib/api/api-error.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { same } from '../../../ui/schema-form/use-schema-form.ts'
import { modelOf, useProductChanged } from '../hooks.ts'

export interface ModelDraft {
  model: ThingModel
  setModel: (change: (model: ThingModel) => ThingModel) => void
  /** Something on the page is not at the server. */
  dirty: boolean
  busy: boolean
  problems: readonly ModelProblem[]
  /** What the server said when saving failed. */
  failure: unknown
  /** Somebody else saved meanwhile: his product. */
  conflict: ProductDetail | null
  save: (overwrite?: boolean) => Promise<ProductDetail | null>
  /** Back to what the server has. */
  discard: () => void
}

/** The draft of a thing model on the page. The server's newer model is taken over while nothing is unsaved. */
export function useModelDraft(product: ProductDetail): ModelDraft {
  const changed = useProductChanged()
  const { send } = useAct('products.setThingModel', { touches: [groupsOf('product')] })
  const stored = useMemo(() => modelOf(product.thingModel), [product.thingModel])
  const [model, change] = useState(stored)
  const [base, setBase] = useState({ model: stored, version: product.version })
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [conflict, setConflict] = useState<ProductDetail | null>(null)
  const dirty = !same(model, base.model)
  useEffect(() => {
    if (base.version === product.version) return
    // Basic data changed: the model's base moves along. The model changed: only when nothing here would be lost.
    if (same(base.model, stored)) setBase({ model: stored, version: product.version })
    else if (!dirty) {
      change(stored)
      setBase({ model: stored, version: product.version })
    }
  }, [product.version, stored, base, dirty])
  const problems = useMemo(() => {
    const parsed = parseModel(model)
    return parsed.ok ? [] : parsed.problems
  }, [model])

  const save = useCallback(
    async (overwrite = false) => {
      setBusy(true)
      setFailure(null)
      setConflict(null)
      try {
        const version = overwrite && conflict ? conflict.version : base.version
        const saved = await send({
          params: { id: product.id },
          body: { version, ...asBody(model) },
        })
        const next = modelOf(saved.thingModel)
        setBase({ model: next, version: saved.version })
        change(next)
        changed(saved)
        return saved
      } catch (error) {
        if (error instanceof ApiError && error.code === 'version.conflict')
          setConflict((error.params.current as ProductDetail | undefined) ?? null)
        setFailure(error)
        return null
      } finally {
        setBusy(false)
      }
    },
    [model, base.version, product.id, changed, conflict, send],
  )
  return {
    model,
    setModel: useCallback((work: (model: ThingModel) => ThingModel) => change(work), []),
    dirty,
    busy,
    problems,
    failure,
    conflict,
    save,
    discard: useCallback(() => {
      change(stored)
      setBase({ model: stored, version: product.version })
      setFailure(null)
      if (conflict) changed(conflict)
      setConflict(null)
    }, [stored, product.version, conflict, changed]),
  }
}

function asBody(model: ThingModel) {
  return model as unknown as {
    properties: Record<string, unknown>[]
    events: Record<string, unknown>[]
    services: Record<string, unknown>[]
  }
}
