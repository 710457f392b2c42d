namespace Loxo.Transport;

/// <summary>Which loops a data source uses; those with the same settings share them.</summary>
/// <param name="Loops">Their number; 0 for one per four processors.</param>
/// <param name="Continuations">Where callers go on.</param>
internal sealed record ReactorSettings(int Loops, ReactorContinuations Continuations);
