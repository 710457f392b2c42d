namespace Loxo.Pooling.Tests;

/// <summary>Which of the pool's two forms a test runs: every test of behaviour runs in both.</summary>
public enum WaitMode
{
    Blocking,
    Async,
}
