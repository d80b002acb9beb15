import type { MediaKind } from '@thingwright/contracts/media.contract'

/** What the file chooser offers for a kind; the server looks at the bytes. */
export const ACCEPT: Record<MediaKind, string> = {
  image: 'image/png,image/jpeg,image/webp,image/gif,image/avif',
  svg: 'image/svg+xml,.svg',
  audio: 'audio/*',
  video: 'video/mp4,video/webm,video/ogg,video/quicktime',
  file: '',
}
