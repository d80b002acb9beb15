import type { MediaView } from '@thingwright/contracts/media.contract'
import type { TFunction } from 'i18next'
import { notify } from '../../lib/notify.ts'
import { copyText } from '../../ui/copy.ts'

/** Puts the lasting address on the clipboard, or the one that ends soon, and says which. */
export async function copyLink(media: MediaView, t: TFunction<'media'>): Promise<void> {
  const copied = await copyText(`${location.origin}${media.publicUrl ?? media.url}`)
  if (!copied) notify.error(t('copyFailed'))
  else if (media.publicUrl === null) notify.info(t('copiedShort'))
  else notify.success(t('copiedPublic'))
}
