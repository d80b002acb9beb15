import { evaluate, pointValue, readExpression, signalKey, signalsOf } from '@thingwright/scene'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { useScene } from './scene-context.ts'

const MARK = /\{([^{}]{1,200})\}/g

/** A text whose `{expressions}` show their values. */
export function useBound(text: string): string {
  const { store } = useScene()
  const keys = useMemo(() => {
    const found: string[] = []
    for (const [, inner] of text.matchAll(MARK)) {
      found.push(...signalsOf({ from: 'expression', text: inner! }).map(signalKey))
    }
    return found
  }, [text])
  useSyncExternalStore(
    useCallback(listener => store.subscribe(keys, listener), [store, keys]),
    () => store.version(keys),
  )
  return text.replace(MARK, (whole, inner: string) => {
    const expression = readExpression(inner)
    if (!expression) return whole
    const value = evaluate(expression, (role, point) => pointValue(store.look, role, point))
    return value === null ? '–' : String(value)
  })
}
