import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { locale } from '../../../lib/i18n.ts'
import type { OperationGroup } from '../../../ui/api-docs/openapi.ts'
import css from './explorer.module.css'

/** Operations under their tags. Arrow keys walk what is to be seen; a tag is folded unless it holds the open one. */
export function OperationList({
  groups,
  open,
  unfolded,
  onOpen,
}: {
  groups: readonly OperationGroup[]
  open: string
  /** Everything is shown: a search has left little. */
  unfolded: boolean
  onOpen: (id: string) => void
}) {
  const home = groups.find(group => group.operations.some(each => each.id === open))?.id
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    frame.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [])
  const isOpen = (id: string) => unfolded || (chosen.get(id) ?? id === home)
  const walk = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const entries = [...(frame.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const next = entries[entries.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)]
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up here from the entries
    <div ref={frame} className={css.operationList} onKeyDown={walk}>
      {groups.map(group => (
        <section key={group.id}>
          <button
            type="button"
            className={css.tag}
            aria-expanded={isOpen(group.id)}
            disabled={unfolded}
            onClick={() => setChosen(before => new Map(before).set(group.id, !isOpen(group.id)))}
          >
            <span>{group.words[locale()]}</span>
            <small>{group.operations.length}</small>
          </button>
          {isOpen(group.id) && (
            <ul>
              {group.operations.map(operation => (
                <li key={operation.id}>
                  <button
                    type="button"
                    className={css.operation}
                    data-operation={operation.id}
                    aria-current={operation.id === open}
                    title={`${operation.method} ${operation.path}`}
                    onClick={() => onOpen(operation.id)}
                  >
                    <Method method={operation.method} />
                    <span>{operation.words[locale()].summary || operation.path}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </div>
  )
}

export function Method({ method }: { method: string }) {
  return (
    <span className={css.method} data-method={method}>
      {method === 'DELETE' ? 'DEL' : method}
    </span>
  )
}
