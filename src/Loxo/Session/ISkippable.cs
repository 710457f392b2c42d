namespace Loxo.Session;

/// <summary>An exchange that can skip what its caller does not want.</summary>
internal interface ISkippable
{
    /// <summary>The number of bytes that are skipped before the exchange stops with <see cref="Protocol.Progress.Row"/>.</summary>
    long BytesToSkip { get; set; }
}
