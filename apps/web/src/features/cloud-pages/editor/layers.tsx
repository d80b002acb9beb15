import { kindOf, type Scene, type SceneNode } from '@thingwright/scene'
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

/** The elements as they lie, the topmost first, what is in a group under it. */
function rowsOf(scene: Scene): Row[] {
  const under = new Map<string | null, SceneNode[]>()
  for (const node of scene.nodes) under.set(node.group, [node, ...(under.get(node.group) ?? [])])
  const rows: Row[] = []
  const walk = (group: string | null, depth: number) => {
    for (const node of under.get(group) ?? []) {
      rows.push({ node, depth })
      if (node.kind === 'group') walk(node.id, depth + 1)
    }
  }
  walk(null, 0)
  return rows
}

export function Layers({ store, mayWrite }: { store: EditorStore; mayWrite: boolean }) {
  const { t } = useTranslation('cloud-pages')
  const scene = store(state => state.scene)
  const selected = store(state => state.selected)
  const kindName = useKindName()
  const rows = rowsOf(scene)
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
      <div className={css.scroll} role="listbox" aria-label={t('layers')} aria-multiselectable>
        {rows.map(({ node, depth }) => (
          <div
            key={node.id}
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
      </div>
    </section>
  )
}
