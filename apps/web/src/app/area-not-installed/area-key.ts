/** Name of an area's texts: its address with everything but letters as hyphens. */
export function areaKey(path: string): string {
  return path.replace(/[^A-Za-z]+/g, '-').replace(/^-|-$/g, '')
}
