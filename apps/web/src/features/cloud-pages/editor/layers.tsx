import { kindOf, type SceneNode } from '@thingwright/scene'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { changed } from './document.ts'
import css from './editor.module.css'
import { EyeIcon, LockIcon } from './icons.tsx'
import { useKindName } from './palette.tsx'
import type { EditorStore } from './store.ts'

interface Row {
  node: SceneNode
  depth: number
}

/** Height of a row, px: as the style sheet has it. */
const ROW_PX = 28
/** Rows that are drawn above and below those in the window. */
const BESIDE = 10
/** Rows that are drawn before the height of the window is known. */
const AT_FIRST = 40

/** The elements as they lie, the topmost first, what is in a group under it. */
function rowsOf(nodes: readonly SceneNode[]): Row[] {
  const under = new Map<string | null, SceneNode[]>()
  for (const node of nodes) {
    const inner = under.get(node.group)
    if (inner) inner.push(node)
    else under.set(node.group, [node])
  }
  const rows: Row[] = []
  const walk = (group: string | null, depth: number) => {
    for (const node of (under.get(group) ?? []).toReversed()) {
      rows.push({ node, depth })
      if (node.kind === 'group') walk(node.id, depth + 1)
    }
  }
  walk(null, 0)
  return rows
}

/** Every element in one list. Only the rows in the window are drawn: there can be two thousand. */
export function Layers({ store, mayWrite }: { store: EditorStore; mayWrite: boolean }) {
  const { t } = useTranslation('cloud-pages')
  const scene = store(state => state.scene)
  const selected = store(state => state.selected)
  const kindName = useKindName()
  const rows = useMemo(() => rowsOf(scene.nodes), [scene.nodes])
  const [window_, setWindow] = useState({ top: 0, rows: AT_FIRST })
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = list.current
    if (!element) return
    const look = () => setWindow(seen(element))
    look()
    const watch = new ResizeObserver(look)
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  const first = Math.max(0, Math.min(window_.top, rows.length - window_.rows) - BESIDE)
  const shown = rows.slice(first, window_.top + window_.rows + BESIDE)
  const nameOf = (node: SceneNode) => {
    const kind = kindOf(node.kind)
    return node.name || (kind ? kindName(kind) : node.kind)
  }
  const flip = (node: SceneNode, key: 'hidden' | 'locked') =>
    store.getState().change(changed(scene, new Set([node.id]), ({ [key]: was }) => ({ [key]: !was })))
  return (
    <section className={css.layers}>
      <div className={css.layersHead}>
        <span>{t('layers')}</span>
        <span className={css.note}>{t('elementsCount', { count: scene.nodes.length })}</span>
      </div>
      <div
        ref={list}
        className={css.scroll}
        role="listbox"
        aria-label={t('layers')}
        aria-multiselectable
        onScroll={event => setWindow(seen(event.currentTarget))}
      >
        <div style={{ height: first * ROW_PX }} />
        {shown.map(({ node, depth }, i) => (
          <div
            key={node.id}
            aria-setsize={rows.length}
            aria-posinset={first + i + 1}
            className={css.layer}
            role="option"
            tabIndex={-1}
            aria-selected={selected.has(node.id)}
            style={{ paddingLeft: 12 + depth * 16 }}
          >
            <button
              type="button"
              className={css.layerName}
              title={nameOf(node)}
              onClick={event => {
                const { selected: before, select } = store.getState()
                if (event.shiftKey || event.ctrlKey || event.metaKey)
                  select(before.has(node.id) ? [...before].filter(each => each !== node.id) : [...before, node.id])
                else select([node.id])
              }}
            >
              {nameOf(node)}
            </button>
            {mayWrite && (
              <>
                <button
                  type="button"
                  className={css.iconButton}
                  aria-pressed={node.locked}
                  aria-label={t('lockOf', { name: nameOf(node) })}
                  onClick={() => flip(node, 'locked')}
                >
                  <LockIcon open={!node.locked} />
                </button>
                <button
                  type="button"
                  className={css.iconButton}
                  aria-pressed={node.hidden}
                  aria-label={t('hideOf', { name: nameOf(node) })}
                  onClick={() => flip(node, 'hidden')}
                >
                  <EyeIcon closed={node.hidden} />
                </button>
              </>
            )}
          </div>
        ))}
        <div style={{ height: (rows.length - first - shown.length) * ROW_PX }} />
      </div>
    </section>
  )
}

/** The first row in the window of a list, and how many it has room for; the same object would draw nothing anew. */
function seen({ scrollTop, clientHeight }: HTMLElement): { top: number; rows: number } {
  return { top: Math.floor(scrollTop / ROW_PX), rows: Math.max(AT_FIRST, Math.ceil(clientHeight / ROW_PX)) }
}
