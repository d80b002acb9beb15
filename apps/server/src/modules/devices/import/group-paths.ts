import type { GroupView } from '@thingwright/contracts/groups.contract'

/** Groups by their paths of names, made on the way where that is wanted. */
export class GroupPaths {
  private readonly ids = new Map<string, string>()
  /** Groups that a trial would have made. */
  readonly wouldMake = new Set<string>()
  made = 0

  /**
   * @param mode what becomes of a path that is not there: `refuse` it, `make` it, or only `pretend` to
   * @param create makes one group and returns its id; `made` false: somebody else made it meanwhile
   */
  constructor(
    groups: readonly Pick<GroupView, 'id' | 'parentId' | 'name'>[],
    private readonly mode: 'refuse' | 'make' | 'pretend',
    private readonly create: (name: string, parentId: string | null) => Promise<{ id: string; made: boolean }>,
  ) {
    for (const { id, parentId, name } of groups) this.ids.set(keyOf(parentId, name), id)
  }

  get pretends(): boolean {
    return this.mode === 'pretend'
  }

  /** Null: not there (or, when pretending, not yet). */
  async find(path: readonly string[]): Promise<string | null> {
    let parent: string | null = null
    for (const [level, name] of path.entries()) {
      const known: string | undefined = this.ids.get(keyOf(parent, name))
      if (known !== undefined) {
        parent = known
        continue
      }
      if (this.mode === 'refuse') return null
      if (this.mode === 'pretend') {
        for (let end = level + 1; end <= path.length; end++) this.wouldMake.add(path.slice(0, end).join('/'))
        return null
      }
      const { id, made }: { id: string; made: boolean } = await this.create(name, parent)
      if (made) this.made++
      this.ids.set(keyOf(parent, name), id)
      parent = id
    }
    return parent
  }
}

const keyOf = (parentId: string | null, name: string) => `${parentId ?? ''}/${name}`
