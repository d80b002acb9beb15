/**
 * Does one part after the other until there is less than a whole one, so that no transaction holds everything.
 * @param part takes at most `limit`, and says how many it took
 * @returns how many there were
 */
export async function untilFewer(limit: number, part: (limit: number) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const done = await part(limit)
    total += done
    if (done < limit) return total
  }
}
