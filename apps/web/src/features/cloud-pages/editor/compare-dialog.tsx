import { isDark, readScene, type Scene, type SceneNode } from '@thingwright/scene'
import { changesOf } from '@thingwright/scene/changes'
import { Modal, Select, Spin } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { SceneElements } from '../../../ui/scene/scene-view.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { listed } from '../hooks.ts'
import css from './compare.module.css'

const NOTHING: ReadonlySet<string> = new Set()
const DRAFT = 0
type Mark = 'added' | 'changed' | 'removed'

/** A version of a page beside another one or the draft: both pictures, what is different outlined and named. */
export function CompareDialog({
  id,
  first,
  versions,
  draft,
  nameOf,
  onClose,
}: {
  id: string
  /** The version that it begins with. */
  first: number
  /** Numbers of all versions, the newest first. */
  versions: readonly number[]
  draft: Scene
  nameOf(node: SceneNode): string
  onClose(): void
}) {
  const { t } = useTranslation('cloud-pages')
  const [before, setBefore] = useState(first)
  const [after, setAfter] = useState(DRAFT)
  const left = useSide(id, before, draft)
  const right = useSide(id, after, draft)
  const found = useMemo(
    () => (left.scene && right.scene ? changesOf(left.scene, right.scene) : null),
    [left.scene, right.scene],
  )
  const options = [
    { value: DRAFT, label: t('compare_.draft') },
    ...versions.map(no => ({ value: no, label: `v${no}` })),
  ]
  const side = (which: 'before' | 'after') => {
    const { scene, error, again } = which === 'before' ? left : right
    const marks = new Map<string, Mark>()
    for (const { id: node } of found?.changed ?? []) marks.set(node, 'changed')
    for (const { id: node } of (which === 'before' ? found?.removed : found?.added) ?? [])
      marks.set(node, which === 'before' ? 'removed' : 'added')
    return (
      <section className={css.side} aria-label={t(`compare_.${which}`)}>
        <Select
          size="small"
          aria-label={t(`compare_.${which}`)}
          value={which === 'before' ? before : after}
          options={options}
          onChange={which === 'before' ? setBefore : setAfter}
        />
        {error ? (
          <ErrorState error={error} onRetry={again} />
        ) : scene ? (
          <Picture scene={scene} marks={marks} />
        ) : (
          <Spin />
        )}
      </section>
    )
  }
  return (
    <Modal open width="min(1600px, calc(100vw - 64px))" title={t('compare')} footer={null} onCancel={onClose}>
      <div className={css.sides}>
        {side('before')}
        {side('after')}
      </div>
      {found && (
        <ul className={css.changes}>
          {(['added', 'changed', 'removed'] as const).flatMap(what =>
            found[what].length === 0
              ? []
              : [
                  <li key={what} data-mark={what}>
                    <strong>{t(`compare_.${what}`, { count: found[what].length })}</strong>{' '}
                    {listed(found[what].map(nameOf))}
                  </li>,
                ],
          )}
          {found.added.length + found.changed.length + found.removed.length === 0 && <li>{t('compare_.same')}</li>}
        </ul>
      )}
    </Modal>
  )
}

/** The document of one side. */
function useSide(id: string, no: number, draft: Scene) {
  const version = useRead('cloudPages.version', { params: { id, no } }, { enabled: no !== DRAFT, staleTime: 300_000 })
  const stored = version.data?.scene
  const scene = useMemo(() => (stored === undefined ? null : readScene(stored).scene), [stored])
  return {
    scene: no === DRAFT ? draft : scene,
    error: no === DRAFT ? null : version.error,
    again: () => void version.refetch(),
  }
}

/** A page as wide as its place. */
function Picture({ scene, marks }: { scene: Scene; marks: ReadonlyMap<string, Mark> }) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = place.current!
    const watch = new ResizeObserver(() => setWidth(element.clientWidth))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])
  const scale = width / scene.width
  return (
    <div ref={place} className={css.picture} style={{ height: scene.height * scale }} inert>
      <div
        className={css.page}
        data-ground={isDark(scene.background) ? 'dark' : undefined}
        style={{
          width: scene.width,
          height: scene.height,
          background: scene.background,
          transform: `scale(${scale})`,
        }}
      >
        {width > 0 && <SceneElements scene={scene} opened={NOTHING} editing />}
        {scene.nodes.flatMap(({ id, kind, x, y, w, h, r }) =>
          marks.has(id) && kind !== 'group'
            ? [
                <span
                  key={id}
                  className={css.mark}
                  data-mark={marks.get(id)}
                  style={{
                    width: w,
                    height: h,
                    outlineWidth: 2 / (scale || 1),
                    transform: `translate(${x}px, ${y}px) rotate(${r}deg)`,
                  }}
                />,
              ]
            : [],
        )}
      </div>
    </div>
  )
}
