/**
 * Runs on the audio thread: mixes to mono, converts to s16le, and collects render quanta into chunks. A plain
 * JavaScript file, because a worklet is loaded unbundled; it must not become a data: address.
 *
 * In:  {type:'start'}, then {type:'stop', drainSamples}: stops after that many more samples.
 * Out: {type:'started'}: records from now on; {type:'chunk', pcm: ArrayBuffer}; {type:'drained'} at the end.
 */
class PcmProcessor extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super();
    this.chunkSamples = processorOptions.chunkSamples;
    this.isRecording = false;
    this.drainSamples = Infinity;
    this.reset();
    this.port.onmessage = ({ data }) => {
      if (data.type === 'start') {
        this.isRecording = true;
        this.port.postMessage({ type: 'started' });
      } else if (data.type === 'stop') {
        this.drainSamples = data.drainSamples;
        this.finishWhenDrained();
      }
    };
  }

  reset() {
    this.view = new DataView(new ArrayBuffer(this.chunkSamples * 2));
    this.filled = 0;
  }

  /** Called per render quantum; `false` ends the processor. */
  process([channels]) {
    if (this.drainSamples <= 0) return false;
    if (!this.isRecording) return true;
    const count = channels.length;
    // A paused or ended source has no channels: nothing is sent, but the draining samples count down.
    const samples = count > 0 ? channels[0].length : 128;
    for (let i = 0; i < samples && count > 0; i++) {
      let sum = 0;
      for (let channel = 0; channel < count; channel++) sum += channels[channel][i];
      this.push(sum / count);
    }
    this.drainSamples -= samples;
    this.finishWhenDrained();
    return this.drainSamples > 0;
  }

  push(sample) {
    const clamped = Math.max(-1, Math.min(1, sample)) || 0;
    this.view.setInt16(this.filled * 2, Math.round(clamped < 0 ? clamped * 0x8000 : clamped * 0x7fff), true);
    this.filled += 1;
    if (this.filled === this.chunkSamples) this.post();
  }

  post() {
    const whole = this.view.buffer;
    const pcm = this.filled === this.chunkSamples ? whole : whole.slice(0, this.filled * 2);
    this.port.postMessage({ type: 'chunk', pcm }, [pcm]);
    this.reset();
  }

  finishWhenDrained() {
    if (this.drainSamples > 0 || this.isDone) return;
    this.isDone = true;
    if (this.filled > 0) this.post();
    this.port.postMessage({ type: 'drained' });
  }
}

registerProcessor('pcm', PcmProcessor);
