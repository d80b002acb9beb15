import type { Plugin } from 'vite'

interface Detour {
  /** End of the importing file. */
  importer: string
  source: string
  /** What is imported in its place: a file, or source text of a module of ours. */
  to: { file: string } | { code: string }
}

/**
 * Files of the component library that take one small thing out of a large neighbour; bundlers keep whole files, so
 * that a button would bring the colour picker and an input the form engine with its validator.
 */
const DETOURS: Detour[] = [
  {
    // Only the context's provider: 12 KB less (gzip) for every page without a form.
    importer: 'antd/es/form/context.js',
    source: '@rc-component/form',
    to: { file: '@rc-component/form/es/FormContext' },
  },
  {
    // Reads and mixes colours; the picker itself is not needed for that.
    importer: 'antd/es/color-picker/color.js',
    source: '@rc-component/color-picker',
    to: { file: '@rc-component/color-picker/es/color' },
  },
  {
    // Whether white text stands well on a solid button: the library's own words (antd 6.6.8), without its panel.
    importer: 'antd/es/button/style/token.js',
    source: '../../color-picker/components/ColorPresets',
    to: {
      code: `import { Color } from '@rc-component/color-picker/es/color'
export const isBright = (value, ground) => {
  const { r, g, b, a } = value.toRgb()
  const hsv = new Color(value.toRgbString()).onBackground(ground).toHsv()
  return a <= 0.5 ? hsv.v > 0.5 : r * 0.299 + g * 0.587 + b * 0.114 > 192
}`,
    },
  },
]

const PREFIX = '\0slim:'

/** Applies the detours; a build in which one of them no longer meets its import fails, so that none rots unseen. */
export function slimImports(detours: readonly Detour[] = DETOURS): Plugin {
  const met = new Set<number>()
  return {
    name: 'slim-imports',
    apply: 'build',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!importer) return null
      const at = detours.findIndex(d => d.source === source && importer.replaceAll('\\', '/').endsWith(d.importer))
      const detour = detours[at]
      if (!detour) return null
      met.add(at)
      return 'code' in detour.to ? `${PREFIX}${at}` : this.resolve(detour.to.file, importer, { skipSelf: true })
    },
    load(id) {
      if (!id.startsWith(PREFIX)) return null
      const to = detours[Number(id.slice(PREFIX.length))]?.to
      return to && 'code' in to ? { code: to.code, moduleSideEffects: false } : null
    },
    buildEnd(error) {
      const missed = detours.filter((_, at) => !met.has(at))
      if (!error && missed.length > 0)
        this.error(
          `slim-imports: nothing imports ${missed.map(d => `${d.source} in ${d.importer}`).join(', ')} any more`,
        )
    },
  }
}
