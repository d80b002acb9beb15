import { type Block, blocksOf, isDark, type Scene, type SceneNode } from '@thingwright/scene'
import { useMemo } from 'react'
import css from './narrow.module.css'
import { NodeView } from './node-view.tsx'

/** Windows below this width get a wide page one part below the other, px. */
export const NARROW = 600
const MARGIN = 12
/** Parts are never drawn smaller than this; wider ones are moved with a finger. */
const LEAST_SCALE = 0.6
const MOST_SCALE = 1.3
/** Tallest chart, and list; px. */
const TALLEST = 300
const TALLEST_LIST = 220
/** What has no room in the line at the top. */
const NOT_AT_THE_TOP = new Set(['header', 'clock'])

/** A wide page in a narrow window: its parts one below the other. Null where it is one drawing. */
export function useBlocks(scene: Scene, width: number, wanted: boolean): Block[] | null {
  const isNarrow = wanted && width < NARROW && scene.width > NARROW
  return useMemo(() => (isNarrow ? blocksOf(scene) : null), [scene, isNarrow])
}

export function NarrowView({ scene, blocks, width }: { scene: Scene; blocks: readonly Block[]; width: number }) {
  return (
    <div
      className={css.page}
      data-ground={isDark(scene.background) ? 'dark' : undefined}
      style={{ background: scene.background }}
    >
      {blocks.map(block =>
        block.kind === 'head' ? (
          <Head key={block.nodes[0]!.id} block={block} />
        ) : block.kind === 'single' ? (
          <Single key={block.nodes[0]!.id} node={block.nodes[0]!} width={width - 2 * MARGIN} />
        ) : (
          <Drawing key={block.nodes[0]!.id} block={block} width={width - 2 * MARGIN} />
        ),
      )}
    </div>
  )
}

/** What the header has on the whole page. */
function colours({ props }: SceneNode) {
  return { background: String(props.fill ?? '#e4e7eb'), color: String(props.ink ?? '#1d2129') }
}

function Head({ block }: { block: Block }) {
  const header = block.nodes.find(({ kind }) => kind === 'header')
  return (
    <header className={css.head} style={header && colours(header)}>
      <h1>{String(header?.props.label ?? '')}</h1>
      {block.nodes
        .filter(({ kind }) => !NOT_AT_THE_TOP.has(kind))
        .map(node => (
          <div key={node.id} style={{ position: 'relative', width: node.w, height: node.h }}>
            <NodeView node={{ ...node, x: 0, y: 0 }} />
          </div>
        ))}
    </header>
  )
}

function Single({ node, width }: { node: SceneNode; width: number }) {
  const h = Math.min(node.h, node.kind === 'alarms' ? TALLEST_LIST : TALLEST)
  const sized = useMemo(() => ({ ...node, x: 0, y: 0, w: width, h }), [node, width, h])
  return (
    <section style={{ position: 'relative', width, height: h }}>
      <NodeView node={sized} />
    </section>
  )
}

function Drawing({ block, width }: { block: Block; width: number }) {
  // Two small ones share a line.
  const room = block.w * 2 * LEAST_SCALE < width ? (width - MARGIN) / 2 : width
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, room / block.w))
  return (
    <section className={css.part} style={{ width: room, height: block.h * scale }}>
      <div style={{ width: block.w * scale, height: block.h * scale, overflow: 'hidden' }}>
        <div
          className={css.drawing}
          style={{
            width: block.w,
            height: block.h,
            transform: `scale(${scale}) translate(${-block.x}px, ${-block.y}px)`,
          }}
        >
          {block.nodes.map(node => (
            <NodeView key={node.id} node={node} />
          ))}
        </div>
      </div>
    </section>
  )
}
