/** As much of a markdown tree as is looked at here. */
interface Node {
  type: string
  value?: string
  alt?: string | null
  children?: Node[]
}

/** Nodes that hold words, not blocks. */
const HOLDS_WORDS = ['paragraph', 'heading', 'tableCell', 'emphasis', 'strong', 'delete', 'link', 'linkReference']

/**
 * Raw HTML becomes the text that was written, and a picture its description: nothing is fetched from anywhere because
 * of an answer, and nothing but our own elements is drawn.
 */
export function asText() {
  return (root: Node): void => replaceIn(root)
}

function replaceIn(node: Node): void {
  for (const [index, child] of (node.children ?? []).entries()) {
    const said = words(child)
    if (said === null) replaceIn(child)
    else {
      const text: Node = { type: 'text', value: said }
      // Blocks stand beside blocks: a piece of HTML of its own becomes a paragraph.
      node.children![index] = HOLDS_WORDS.includes(node.type) ? text : { type: 'paragraph', children: [text] }
    }
  }
}

function words(node: Node): string | null {
  if (node.type === 'html') return node.value ?? ''
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? ''
  return null
}
