import { type FitMode, isDark, type Scene } from '@thingwright/scene'
import { useEffect, useMemo, useState } from 'react'
import { NarrowView, useBlocks } from './narrow-view.tsx'
import { NodeView } from './node-view.tsx'
import css from './scene.module.css'

/** How a scene of this size fills a window of that size. */
export function fitted(
  scene: { width: number; height: number },
  window: { width: number; height: number },
  fit: FitMode,
): { x: number; y: number } {
  const x = window.width / scene.width
  const y = window.height / scene.height
  switch (fit) {
    case 'whole':
      return { x: Math.min(x, y), y: Math.min(x, y) }
    case 'width':
      return { x, y: x }
    case 'height':
      return { x: y, y }
    case 'stretch':
      return { x, y }
    case 'original':
      return { x: 1, y: 1 }
  }
}

/** The elements of a scene in their order; needs a SceneProvider around it. @param opened hidden elements that are shown. @param editing hidden ones are shown pale */
export function SceneElements({
  scene,
  opened,
  editing = false,
}: {
  scene: Scene
  opened?: ReadonlySet<string>
  editing?: boolean
}) {
  const hidden = useMemo(() => {
    const byId = new Map(scene.nodes.map(node => [node.id, node]))
    const isHidden = (id: string | null): boolean => {
      for (
        let node = id === null ? undefined : byId.get(id);
        node;
        node = node.group === null ? undefined : byId.get(node.group)
      )
        if (node.hidden && !opened?.has(node.id)) return true
      return false
    }
    return new Set(scene.nodes.filter(({ id }) => isHidden(id)).map(({ id }) => id))
  }, [scene.nodes, opened])
  return scene.nodes.map(node =>
    node.kind === 'group' || (hidden.has(node.id) && !editing) ? null : (
      <NodeView key={node.id} node={node.hidden && !editing ? { ...node, hidden: false } : node} />
    ),
  )
}

/**
 * A scene in its window, fitted to it.
 * @param isAsked the visitor himself said how it is fitted
 * @param foot pixels at the lower edge of the window that something else covers
 */
export function SceneStage({
  scene,
  fit,
  isAsked,
  opened,
  foot = 0,
}: {
  scene: Scene
  fit: FitMode
  isAsked: boolean
  opened: ReadonlySet<string>
  foot?: number
}) {
  const [size, setSize] = useState(() => ({ width: window.innerWidth, height: window.innerHeight }))
  useEffect(() => {
    const read = () => setSize({ width: window.innerWidth, height: window.innerHeight })
    window.addEventListener('resize', read)
    return () => window.removeEventListener('resize', read)
  }, [])
  // Around a page that does not fill its window as well.
  useEffect(() => {
    const { style } = document.body
    const before = style.background
    style.background = scene.background
    return () => {
      style.background = before
    }
  }, [scene.background])
  // A hidden part that was opened lies over the page: there the page stays whole.
  const blocks = useBlocks(scene, size.width, !isAsked && opened.size === 0)
  if (blocks) return <NarrowView scene={scene} blocks={blocks} width={size.width} />
  const room = { width: size.width, height: Math.max(1, size.height - foot) }
  const { x, y } = fitted(scene, room, fit)
  const left = Math.max(0, (room.width - scene.width * x) / 2)
  const top = fit === 'whole' || fit === 'height' ? Math.max(0, (room.height - scene.height * y) / 2) : 0
  return (
    <div style={{ width: scene.width * x + left, height: scene.height * y + top, overflow: 'hidden' }}>
      <div
        className={css.stage}
        data-ground={isDark(scene.background) ? 'dark' : undefined}
        style={{
          width: scene.width,
          height: scene.height,
          background: scene.background,
          transform: `translate(${left}px, ${top}px) scale(${x}, ${y})`,
        }}
      >
        <SceneElements scene={scene} opened={opened} />
      </div>
    </div>
  )
}
