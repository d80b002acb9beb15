/** The build without subtitles, encryption and other sound tracks, which streams of cameras do not have. */
declare module 'hls.js/light' {
  export { default } from 'hls.js'
}
