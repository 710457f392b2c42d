using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeErrorsTests
{
    [Test]
    public void A_type_asked_for_in_vain_is_told_what_works() =>
        Assert.That(ConversionErrors.NotReadable(CodecCheck.Type("uuid"), typeof(int?)).Message,
            Is.EqualTo("PostgreSQL type uuid cannot be read as int?. Read it as System.Guid."));

    [Test]
    public void An_array_is_told_the_arrays_that_work() =>
        Assert.That(ConversionErrors.NotReadable(CodecCheck.Type("uuid[]"), typeof(int)).Message,
            Is.EqualTo("PostgreSQL type uuid[] cannot be read as int. Read it as System.Guid[], System.Guid?[] or object[]."));

    [Test]
    public void A_type_without_a_binary_codec_is_told_to_be_text() =>
        Assert.That(ConversionErrors.NotWritable(CodecCheck.Type("aclitem"), typeof(long)).Message, Does.StartWith(
            "A value of .NET type long cannot be written as PostgreSQL type aclitem. Give string, char, "));

    [Test]
    public void Malformed_bytes_are_a_failed_conversion() =>
        Assert.That(TypeErrors.Malformed("date", "why"), Has.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.ConversionFailed));
}
