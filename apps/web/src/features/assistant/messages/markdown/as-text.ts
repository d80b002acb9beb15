import type { Nodes, Root } from 'mdast'

/**
 * Raw HTML becomes the text that was written, and a picture its description: nothing is fetched from anywhere because
 * of an answer, and nothing but our own elements is drawn.
 */
export function asText() {
  return (root: Root): void => replaceIn(root)
}

function replaceIn(node: Nodes): void {
  if (!('children' in node)) return
  const inside = node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell' || isPhrasing(node)
  node.children.forEach((child, index) => {
    const said = words(child)
    if (said === null) replaceIn(child)
    else {
      const text = { type: 'text', value: said } as const
      // Blocks stand beside blocks: a piece of HTML of its own becomes a paragraph.
      node.children[index] = inside ? text : { type: 'paragraph', children: [text] }
    }
  })
}

const isPhrasing = (node: Nodes) => ['emphasis', 'strong', 'delete', 'link', 'linkReference'].includes(node.type)

function words(node: Nodes): string | null {
  if (node.type === 'html') return node.value
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? ''
  return null
}
