namespace Loxo.Pooling;

/// <summary>Why a pool closed a resource.</summary>
public enum CloseReason
{
    /// <summary>Its renter discarded it, or it broke while it was rented.</summary>
    Broken,

    /// <summary>The policy's check, before a rent or in the background, refused it or failed.</summary>
    CheckFailed,

    /// <summary>The policy could not reset it when it was returned.</summary>
    ResetFailed,

    /// <summary>It was idle for <see cref="ResourcePoolOptions.IdleLifetime"/>.</summary>
    Idle,

    /// <summary>It reached the end of its <see cref="ResourcePoolOptions.Lifetime"/>.</summary>
    Lifetime,

    /// <summary>It was older than a call of <see cref="ResourcePool{T}.Clear"/>.</summary>
    Cleared,

    /// <summary>Its renter was garbage collected without returning it.</summary>
    Abandoned,

    /// <summary>The pool was disposed or drained.</summary>
    Disposed,

    /// <summary>The pool was made smaller.</summary>
    Surplus,
}
