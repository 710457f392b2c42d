namespace Loxo.Pooling.Core;

/// <summary>A pool's limits, and how much of them is used. Used under the pool's lock.</summary>
internal sealed class Capacity(ResourcePoolOptions options)
{
    public int Minimum { get; private set; } = options.MinimumSize;

    public int Maximum { get; private set; } = options.MaximumSize;

    public int MaximumOpens { get; } =
        options.MaximumConcurrentOpens > 0 ? options.MaximumConcurrentOpens : Math.Max(8, 4 * Environment.ProcessorCount);

    /// <summary>Resources that exist, and permits to open one. A resource counts until it has been closed.</summary>
    public int Total { get; private set; }

    /// <summary>Permits to open a resource that are in use.</summary>
    public int Opening { get; private set; }

    /// <summary>Resources that were chosen to make the pool smaller and are not closed yet.</summary>
    public int Retiring { get; private set; }

    public bool MayOpen => Total < Maximum && Opening < MaximumOpens;

    /// <summary>How many resources must be closed because the pool became smaller.</summary>
    public int Surplus => Total - Retiring - Maximum;

    /// <summary>How many resources may be closed without falling below the minimum.</summary>
    public int Spare => Total - Retiring - Minimum;

    public void Resize(int minimum, int maximum) => (Minimum, Maximum) = (minimum, maximum);

    public void TakePermit()
    {
        Total++;
        Opening++;
    }

    /// <summary>Turns a permit into a resource.</summary>
    public void UsePermit() => Opening--;

    /// <summary>Gives back a permit whose opening failed.</summary>
    public void ReleasePermit()
    {
        Total--;
        Opening--;
    }

    public void Retire() => Retiring++;

    /// <summary>Notes that a resource has been closed.</summary>
    public void Release(bool wasRetiring)
    {
        Total--;
        Retiring -= wasRetiring ? 1 : 0;
    }
}
