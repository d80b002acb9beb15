import { readScene } from '@thingwright/scene'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { isSilent, showError } from '../../../lib/errors.ts'
import { notify } from '../../../lib/notify.ts'
import { listed, saveFile } from '../hooks.ts'
import { bindingStore } from './binding-store.ts'
import { packBindings } from './page-bindings.ts'
import { packPage, withoutContent } from './page-file.ts'
import { pictureStore } from './picture-store.ts'

/** Long enough to read names of pictures. */
const READ_MS = 12_000

/** Saves a page with its pictures as a file; pictures that could not be read are named. */
export function useExport(): (page: { name: string; suffix: string; scene: unknown }) => Promise<void> {
  const { t } = useTranslation('cloud-pages')
  return useCallback(
    async page => {
      try {
        const { name, suffix, scene: stored } = page
        const { scene } = readScene(stored)
        const packed = scene && {
          ...(await packPage({ name, scene }, pictureStore)),
          ...(await packBindings(scene, bindingStore)),
        }
        saveFile(`${suffix}.page.json`, JSON.stringify(packed ?? { name, scene: stored }, null, 2))
        const missing = packed ? withoutContent(packed) : []
        if (missing.length > 0)
          notify.warning(t('picturesNotExported', { names: listed(missing) }), { durationMs: READ_MS })
      } catch (error) {
        if (!isSilent(error)) showError(error)
      }
    },
    [t],
  )
}
