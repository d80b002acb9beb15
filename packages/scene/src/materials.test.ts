import { describe, expect, it } from 'vitest'
import { withMaterials } from './materials.ts'
import { emptyScene, newNode, type Scene } from './scene.ts'

describe('addresses of materials in a document', () => {
  const id = '0192f0c0-0000-7000-8000-000000000001'
  const text = (label: string): Scene => ({
    ...emptyScene('canvas'),
    nodes: [newNode('a', 'text', { props: { label } })],
  })
  const labelOf = (scene: Scene) => scene.nodes[0]!.props.label

  // Tried: alone, with what follows, in quotes of both kinds, twice, in capitals, in words; and addresses of other hosts.
  it.each([
    [`/media/${id}`, '/media/new'],
    [`/media/${id}/thumb?v=1`, '/media/new/thumb?v=1'],
    [`"/media/${id}" + '/media/${id}'`, `"/media/new" + '/media/new'`],
    [`/media/${id.toUpperCase()}`, '/media/new'],
    [`see (/media/${id}) and /media/${id}`, 'see (/media/new) and /media/new'],
    [`https://other.example/media/${id}`, `https://other.example/media/${id}`],
    ['/media/plan.png', '/media/plan.png'],
  ])('%s', (from, to) => {
    expect(labelOf(withMaterials(text(from), each => (each === id ? 'new' : undefined)))).toBe(to)
  })
})
