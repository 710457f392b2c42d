using Loxo.Types;

namespace Loxo.Tests.Types;

public class ParsableTextFormatTests
{
    private static readonly ParsableTextFormat<PgInet> Inet = new("inet", new InetCodec());

    [Test]
    public void Text_and_bytes_are_one_value() => FormCheck.BothWays(Inet, "10.0.0.1/8", "020800040a000001");

    [Test]
    public void Text_that_is_no_value_is_refused() => FormCheck.Refuses(Inet, "10.0.0.1/99");
}
